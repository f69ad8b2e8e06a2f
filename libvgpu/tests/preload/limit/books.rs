//! What a container is told that it uses, and what it really takes.

use crate::machine::Machine;
use crate::puppet::Puppet;

/// Bytes of the first GPU.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Books {
    /// What a process of the container is told, which has no context itself.
    pub(super) told: u64,
    /// What the machine's live allocations and contexts are.
    pub(super) taken: u64,
}

impl Books {
    pub(super) fn of(machine: &Machine) -> Self {
        Self { told: told(machine), taken: taken(machine) }
    }

    /// Both books say `bytes`.
    pub(super) const fn both(bytes: u64) -> Self {
        Self { told: bytes, taken: bytes }
    }
}

fn taken(machine: &Machine) -> u64 {
    let truth = machine.truth();
    ["requested", "managed", "pooled", "graphs", "overhead"]
        .iter()
        .map(|figure| truth[&format!("device.0.{figure}")])
        .sum()
}

/// What a process of the container is told, which is what the machine has given to all processes, in whole pieces.
pub(super) fn agreed(machine: &Machine) -> u64 {
    let told = told(machine);
    let truth = machine.truth();
    assert_eq!(told, truth["device.0.resident"], "{truth:?}");
    told
}

/// The machine never gave more than `limit`, and never saw a request that it had to refuse.
pub(super) fn assert_within(machine: &Machine, limit: u64) {
    let truth = machine.truth();
    assert!(truth["device.0.resident_peak"] <= limit, "{truth:?}");
    assert_eq!(truth["device.0.refused"], 0, "{truth:?}");
}

pub(super) fn told(machine: &Machine) -> u64 {
    // A limit that no test reaches: NVML's figure of what is used is never above the total.
    let mut monitor = Puppet::start(machine.limited("70g"));
    monitor.does("nvmlInit_v2");
    let device = monitor.does("nvmlDeviceGetHandleByIndex_v2 0 out")[0];
    monitor.does(&format!("nvmlDeviceGetMemoryInfo {device} out*3"))[2]
}
