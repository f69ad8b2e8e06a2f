//! What a death gives back.

use sim_kernel::{Bytes, Kind, Nanos};

use super::bed::{Bed, DEVICE, eventually, kernel, kill, truth};
use super::tenant::Tenant;

#[test]
fn a_killed_process_gives_everything_back() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let mut tenant = Tenant::start(&bed, "hold 10737418240");
    assert_eq!(tenant.said, "holds");
    assert_eq!(truth(&observer).requested, Bytes::from_gib(10));
    let processes = observer.processes(DEVICE).expect("a device");
    assert_eq!(processes.iter().map(|process| process.pid).collect::<Vec<_>>(), [tenant.pid()]);
    tenant.kill();
    eventually("the memory is back", || truth(&observer).resident == Bytes::ZERO);
    let left = truth(&observer);
    assert_eq!((left.contexts, left.allocations, left.requested_peak), (0, 0, Bytes::from_gib(10)));
    assert_eq!(observer.processes(DEVICE), Ok(Vec::new()));
}

#[test]
fn a_forked_child_that_holds_the_connection_does_not_keep_the_memory() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let mut tenant = Tenant::start(&bed, "fork 1073741824");
    let child: i32 = tenant.said.split_once(' ').and_then(|(_, pid)| pid.parse().ok()).expect("a pid");
    tenant.kill();
    eventually("the memory is back", || truth(&observer).resident == Bytes::ZERO);
    let alive = std::path::Path::new(&format!("/proc/{child}")).exists();
    kill(child);
    assert!(alive, "the child ended, so nothing was shown");
}

#[test]
fn a_killed_process_takes_its_work_off_the_device() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let mut greedy = Tenant::start(&bed, "work 3600000");
    let (client, context) = bed.tenant();
    eventually("it works", || truth(&observer).busy > Nanos::ZERO);
    greedy.kill();
    eventually("its context is gone", || truth(&observer).contexts == 1);
    // Alone on the device: the record after the kernel is exactly its duration after the one before.
    let [start, end] = super::work::timed(&client, context, kernel(Nanos::from_millis(20)));
    client.synchronize_context(context.id).expect("a context");
    assert_eq!(client.elapsed(start, end), Ok(Nanos::from_millis(20)));
}

#[test]
fn dropping_a_client_is_its_end() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let (client, _) = bed.tenant();
    assert_eq!(truth(&observer).contexts, 1);
    drop(client);
    eventually("its context is gone", || truth(&observer).contexts == 0);
}
