//! How a machine comes and goes.

use std::process::Command;
use std::sync::Barrier;

use sim_kernel::{Client, ConnectOptions, Fault, Kind};

use super::bed::{Bed, PROGRAM, eventually, kill};

#[test]
fn clients_that_race_to_start_the_machine_share_one() {
    let bed = Bed::new();
    let barrier = Barrier::new(8);
    let clients: Vec<Client> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    bed.tenant().0
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().expect("no panic")).collect()
    });
    assert_eq!(bed.servers().len(), 1);
    let truth = bed.client(Kind::Observer).truth().expect("an observer");
    assert_eq!(truth.devices[0].contexts, 8);
    drop(clients);
}

#[test]
fn the_socket_of_a_dead_machine_is_replaced() {
    let bed = Bed::new();
    let (client, _) = bed.tenant();
    for pid in bed.servers() {
        kill(pid);
    }
    eventually("the client notices", || client.machine() == Err(Fault::Disconnected));
    assert!(bed.socket().exists(), "nobody removed it, so nothing was shown");
    let truth = bed.client(Kind::Observer).truth().expect("a new machine");
    assert_eq!(truth.devices[0].contexts, 0);
    assert_eq!(client.machine(), Err(Fault::Disconnected), "an old client is not a user of the new machine");
}

#[test]
fn an_idle_machine_goes_and_takes_its_socket_with_it() {
    let bed = Bed::new();
    assert!(bed.program("start").args(["--idle-ms", "50"]).status().expect("the program").success());
    let observer = bed.client(Kind::Observer);
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(observer.truth().is_ok(), "somebody is connected, so it stays");
    drop(observer);
    eventually("it goes", || bed.servers().is_empty());
    assert!(!bed.socket().exists());
    assert!(bed.client(Kind::Observer).truth().is_ok(), "and comes again on demand");
}

#[test]
fn clients_find_a_machine_even_while_the_last_one_goes() {
    let bed = Bed::new();
    for _ in 0..40 {
        assert!(bed.program("start").args(["--idle-ms", "0"]).status().expect("the program").success());
        for _ in 0..3 {
            bed.client(Kind::Cuda).machine().expect("a machine");
        }
    }
}

#[test]
fn a_machine_holds_nothing_of_who_started_it() {
    let bed = Bed::new();
    // The shell's output ends when nobody holds descriptors 1 and 9 any more; the machine must not be among them.
    let script = format!("exec 9>&1; {PROGRAM} start --socket {} --idle-ms 60000", bed.socket().display());
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    // A process between its fork and its exec looks like the one it comes from, and a new one takes a moment to leave.
    eventually("one server", || bed.servers().len() == 1);
    let server = bed.servers()[0];
    eventually("a session of its own", || session_of(server) == Some(server));
    let directory = std::fs::read_link(format!("/proc/{server}/cwd")).expect("our process");
    assert_eq!(directory, std::path::Path::new("/"));
}

fn session_of(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    status.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}

#[test]
fn a_machine_that_cannot_start_says_why() {
    let bed = Bed::described("[[devices]]\nchunk = 3\n");
    let error = Client::connect(&bed.options(Kind::Cuda)).expect_err("an impossible machine").to_string();
    assert!(error.contains("machine.toml: device 0: chunk = 3 B: give a power of two"), "{error}");
    let bed = Bed::new();
    let missing = ConnectOptions { program: Some("/nowhere/kernel".into()), ..bed.options(Kind::Cuda) };
    let error = Client::connect(&missing).expect_err("no program").to_string();
    assert!(error.starts_with("/nowhere/kernel: ") && error.contains("VGPU_SIM_KERNEL"), "{error}");
    let nobody = ConnectOptions { program: None, ..bed.options(Kind::Cuda) };
    let error = Client::connect(&nobody).expect_err("no machine").to_string();
    assert!(error.ends_with("sock: no simulated machine runs there"), "{error}");
}

#[test]
fn a_forked_child_cannot_use_the_client_and_takes_nothing_from_the_parent() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    // SAFETY: the child only makes system calls through the client, and ends without running anything of this process.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let refused = client.machine() == Err(Fault::Disconnected);
        drop(client);
        // SAFETY: as above.
        unsafe { libc::_exit(if refused { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
    assert_eq!(client.synchronize_context(context.id), Ok(()));
    assert_eq!(client.destroy_context(context.id), Ok(()));
}
