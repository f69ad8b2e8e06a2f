//! Who may do what, and what observers do to a machine.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use sim_kernel::{Bytes, Fault, Injection, Kind, Nanos, Refusal, Subject, Utilization};

use super::bed::{Bed, DEVICE, eventually, kernel, linear};
use super::tenant::Tenant;

#[test]
fn only_observers_judge_and_only_driver_libraries_own() {
    let bed = Bed::new();
    let forbidden = Fault::Refused(Refusal::NotPermitted);
    let cuda = bed.client(Kind::Cuda);
    assert_eq!(cuda.truth(), Err(forbidden));
    assert_eq!(cuda.freeze(None), Err(forbidden));
    for kind in [Kind::Nvml, Kind::Observer] {
        assert_eq!(bed.client(kind).create_context(DEVICE), Err(forbidden));
    }
    let described = bed.client(Kind::Nvml).machine().expect("any kind may look");
    assert_eq!(described.devices[0].card.total, Bytes::from_mib(81_559));
}

#[test]
fn an_injected_fault_comes_once_to_whoever_is_next() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let (client, context) = bed.tenant();
    let refusal = Refusal::EccUncorrectable;
    for subject in [Subject::Allocate, Subject::Launch, Subject::CreateContext] {
        observer.inject(Injection { subject, after: 0, refusal }).expect("an observer");
    }
    let fault = Fault::Refused(refusal);
    assert_eq!(client.allocate(context.id, linear(Bytes(1))), Err(fault));
    assert_eq!(client.enqueue(context.legacy_stream, kernel(Nanos(1))), Err(fault));
    assert_eq!(client.create_context(DEVICE), Err(fault));
    assert!(client.allocate(context.id, linear(Bytes(1))).is_ok());
    assert_eq!(client.enqueue(context.legacy_stream, kernel(Nanos(1))), Ok(()));
    assert!(client.create_context(DEVICE).is_ok());
}

#[test]
fn utilisation_is_that_of_complete_windows_and_can_be_frozen() {
    let bed = Bed::described("[[devices]]\nsample_window = 20000000\n");
    let observer = bed.client(Kind::Observer);
    assert_eq!(observer.utilization(DEVICE).map(|used| used.gpu), Ok(0));
    let mut tenant = Tenant::start(&bed, "work 3600000");
    eventually("a window is full", || observer.utilization(DEVICE).is_ok_and(|used| used.gpu == 100));
    let samples = observer.process_samples(DEVICE, Nanos::ZERO).expect("a device");
    assert!(samples.iter().all(|sample| sample.pid == tenant.pid()));
    let last = samples.last().expect("a sample").time;
    let newer = observer.samples(DEVICE, last).expect("a device");
    assert!(newer.iter().all(|sample| sample.time > last));
    let frozen = Utilization { gpu: 37, memory: 12 };
    observer.freeze(Some(frozen)).expect("an observer");
    assert_eq!(observer.utilization(DEVICE), Ok(frozen));
    let samples = observer.samples(DEVICE, Nanos::ZERO).expect("a device");
    assert!(!samples.is_empty() && samples.iter().all(|sample| sample.utilization == frozen));
    let samples = observer.process_samples(DEVICE, Nanos::ZERO).expect("a device");
    assert_eq!(
        samples.iter().map(|of| (of.pid, of.utilization)).collect::<Vec<_>>(),
        [(tenant.pid(), frozen)]
    );
    observer.freeze(None).expect("an observer");
    tenant.kill();
    eventually("a window is empty", || observer.utilization(DEVICE).is_ok_and(|used| used.gpu == 0));
    assert_eq!(
        observer.process_samples(DEVICE, Nanos::ZERO),
        Ok(Vec::new()),
        "a process that ended is forgotten"
    );
}

#[test]
fn a_machine_that_runs_already_is_frozen_by_starting_it_so() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let started = bed.program("start").args(["--freeze", "37,5"]).output().expect("the program");
    assert!(started.status.success() && started.stderr.is_empty(), "{started:?}");
    assert_eq!(observer.utilization(DEVICE), Ok(Utilization { gpu: 37, memory: 5 }));
    assert!(bed.program("start").status().expect("the program").success());
    assert_eq!(observer.utilization(DEVICE).map(|used| used.gpu), Ok(37), "nothing was asked for");
}

#[test]
fn the_truth_is_printed_for_scripts() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    client.allocate(context.id, linear(Bytes(1000))).expect("room");
    let output = bed.program("truth").output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("text");
    let own = format!("\ndevice.0.process.{}.requested 1000\n", std::process::id());
    assert!(
        output.status.success() && text.contains("\ndevice.0.requested 1000\n") && text.contains(&own),
        "{text}"
    );
}

#[test]
fn who_speaks_another_protocol_is_shown_the_door_and_nobody_else_notices() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 64], &[2, 0, 0, 0, 9, 9], &[0, 0, 0, 0]] {
        let mut stranger = UnixStream::connect(bed.socket()).expect("a machine");
        stranger.write_all(garbage).expect("room to send");
        let mut answer = Vec::new();
        // The machine may close before it read everything, which this side sees as a reset.
        let _ = stranger.read_to_end(&mut answer);
        assert_eq!(answer, [], "{garbage:?}");
    }
    assert!(observer.truth().is_ok());
}
