//! What becomes of devices while a machine runs.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use sim_kernel::{Condition, DeviceIndex, Disturbance, Fault, Kind, Nanos, Presence, Refusal};

use super::bed::{Bed, DEVICE, eventually};

/// Does this to the machine by the program, as scripts do.
fn disturb(bed: &Bed, fault: &str) {
    let output = bed.program("disturb").args(["--fault", fault]).output().expect("the program");
    assert!(output.status.success() && output.stderr.is_empty(), "{fault}: {output:?}");
}

#[test]
fn a_device_goes_and_comes_back_for_whoever_looks_then() {
    let bed = Bed::described("[[devices]]\n[[devices]]\n");
    let observer = bed.client(Kind::Observer);
    let indices = || {
        let machine = bed.client(Kind::Nvml).machine().expect("a machine");
        machine.devices.iter().map(|device| device.index.0).collect::<Vec<_>>()
    };
    assert_eq!(indices(), [0, 1]);
    disturb(&bed, "0:absent");
    assert_eq!(indices(), [1]);
    disturb(&bed, "0:lost");
    assert_eq!(indices(), [0, 1]);
    assert_eq!(observer.condition(DEVICE).map(|of| of.presence), Ok(Presence::Lost));
    disturb(&bed, "0:present");
    disturb(&bed, "0:errors=3");
    disturb(&bed, "0:mig=on");
    disturb(&bed, "0:remap=failed");
    let expected =
        Condition { presence: Presence::Present, uncorrectable_errors: 3, remap_failed: true, mig: true };
    assert_eq!(observer.condition(DEVICE), Ok(expected));
    assert_eq!(observer.condition(DeviceIndex(1)), Ok(Condition::default()));
}

#[test]
fn xids_are_told_to_whoever_asks_for_what_is_newer() {
    let bed = Bed::new();
    let nvml = bed.client(Kind::Nvml);
    assert_eq!(nvml.incidents(0), Ok(Vec::new()));
    disturb(&bed, "0:xid=79");
    disturb(&bed, "0:xid=31");
    let told = |after| nvml.incidents(after).expect("a machine").iter().map(|of| of.xid).collect::<Vec<_>>();
    assert_eq!(told(0), [79, 31]);
    assert_eq!(told(1), [31]);
    let forbidden = nvml.disturb(Disturbance::Xid(DEVICE, 1));
    assert_eq!(forbidden, Err(Fault::Refused(Refusal::NotPermitted)));
}

#[test]
fn only_nvml_hangs_and_it_answers_what_it_was_asked_meanwhile() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let (nvml, (cuda, _)) = (bed.client(Kind::Nvml), bed.tenant());
    // Longer than this test may take, and ended by the next one.
    observer.disturb(Disturbance::Hang(Nanos::from_millis(3_600_000))).expect("an observer");
    let (answer, answered) = channel();
    let asks = std::thread::spawn(move || answer.send(nvml.memory(DEVICE)));
    assert_eq!(answered.recv_timeout(Duration::from_millis(200)), Err(RecvTimeoutError::Timeout));
    assert!(cuda.memory(DEVICE).is_ok());
    observer.disturb(Disturbance::Hang(Nanos(0))).expect("an observer");
    eventually("an answer", || answered.try_recv().is_ok_and(|answer| answer.is_ok()));
    asks.join().expect("no panic").expect("this test waits for it");
}

#[test]
fn a_fault_that_makes_no_sense_is_named_with_what_does() {
    let bed = Bed::new();
    let _machine = bed.client(Kind::Observer);
    for (fault, said) in
        [("0:sulks", "--fault = 0:sulks: give DEVICE:xid=N"), ("7:lost", "device 7: invalid device")]
    {
        let output = bed.program("disturb").args(["--fault", fault]).output().expect("the program");
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(!output.status.success() && text.contains(said), "{text}");
    }
    let output = bed.program("disturb").output().expect("the program");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--fault is missing"), "{output:?}");
}
