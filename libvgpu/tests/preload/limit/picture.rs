//! What a program is told is one picture, whichever way it asks.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{Memory, Puppet};

const USED: u64 = CONTEXT + 100 * MIB;

/// A tenant of 1 GiB that uses `USED` of it.
fn tenant(machine: &Machine) -> Puppet {
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    tenant.allocate(100 * MIB).unwrap();
    tenant
}

#[test]
fn the_driver_s_answers_agree() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let free = GIB - USED;
    assert_eq!(tenant.memory(), Memory { free, total: GIB });
    assert_eq!(tenant.does("cuMemGetInfo out out"), [free, GIB]);
    assert_eq!(tenant.does("cuDeviceTotalMem_v2 out 0"), [GIB]);
    assert_eq!(tenant.does("cuDeviceTotalMem out 0"), [GIB]);
}

#[test]
fn either_figure_may_be_asked_for_alone() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    assert_eq!(tenant.does("cuMemGetInfo_v2 out null"), [GIB - USED]);
    assert_eq!(tenant.does("cuMemGetInfo_v2 null out"), [GIB]);
    assert_eq!(tenant.does("cuMemGetInfo out null"), [GIB - USED]);
    assert_eq!(tenant.does("cuMemGetInfo null out"), [GIB]);
}

#[test]
fn nvml_tells_what_the_driver_tells() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    tenant.does("nvmlInit_v2");
    let device = tenant.does("nvmlDeviceGetHandleByIndex_v2 0 out")[0];
    assert_eq!(tenant.does(&format!("nvmlDeviceGetMemoryInfo {device} out*3")), [GIB, GIB - USED, USED]);
    // The second version has its version in front, then total, reserved, free, used.
    let second = tenant.does(&format!("nvmlDeviceGetMemoryInfo_v2 {device} out=33554472*5"));
    assert_eq!(second, [GIB, 0, GIB - USED, USED]);
}

#[test]
fn a_monitor_in_the_container_that_has_no_context_sees_the_container_s_use() {
    let machine = Machine::new();
    let _tenant = tenant(&machine);
    let mut monitor = Puppet::start(machine.limited("1g"));
    monitor.does("nvmlInit_v2");
    let device = monitor.does("nvmlDeviceGetHandleByIndex_v2 0 out")[0];
    assert_eq!(monitor.does(&format!("nvmlDeviceGetMemoryInfo {device} out*3")), [GIB, GIB - USED, USED]);
}

#[test]
fn a_neighbour_in_another_container_is_not_seen() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let elsewhere = machine.limited("1g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("other"));
    let mut neighbour = Puppet::with_context(elsewhere);
    neighbour.allocate(200 * MIB).unwrap();
    assert_eq!(tenant.memory().free, GIB - USED);
    assert_eq!(neighbour.memory().free, GIB - CONTEXT - 200 * MIB);
}

#[test]
fn what_is_free_is_never_more_than_the_card_has() {
    let machine = Machine::new();
    // Somebody outside holds almost all of the card.
    let mut hog = Puppet::with_context(machine.native());
    let free = hog.memory().free;
    hog.allocate(free - GIB).unwrap();
    let mut tenant = Puppet::with_context(machine.limited("4g"));
    let memory = tenant.memory();
    assert_eq!(memory.total, 4 * GIB);
    assert!(memory.free <= GIB - CONTEXT, "{memory:?}");
}

#[test]
fn identity_is_the_card_s_own() {
    let machine = Machine::new();
    let ask = |run| {
        let mut puppet = Puppet::start(run);
        puppet.does("cuInit 0");
        [
            "cuDeviceGetCount out",
            "cuDeviceGetUuid_v2 out*2 0",
            "cuDriverGetVersion out",
            "cuDeviceGetPCIBusId text 96 0",
        ]
        .map(|line| puppet.ask(line))
    };
    assert_eq!(ask(machine.limited("1g")), ask(machine.native()));
}
