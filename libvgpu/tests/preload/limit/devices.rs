//! Several GPUs: a limit belongs to a card, whatever the program calls it.

use super::GIB;
use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;

/// What this machine's cards are limited to, in NVML's order.
const LIMITS: [u64; 3] = [GIB, 2 * GIB, 3 * GIB];

fn limited(machine: &Machine) -> Run {
    machine
        .tenant()
        .env("CUDA_DEVICE_MEMORY_LIMIT_0", "1g")
        .env("CUDA_DEVICE_MEMORY_LIMIT_1", "2g")
        .env("CUDA_DEVICE_MEMORY_LIMIT_2", "3g")
}

fn machine() -> Machine {
    Machine::with("550", 3)
}

/// NVML's UUIDs, in its order.
fn uuids(machine: &Machine) -> [String; 3] {
    let mut puppet = Puppet::start(machine.native());
    puppet.does("nvmlInit_v2");
    [0, 1, 2].map(|index| {
        let device = puppet.does(&format!("nvmlDeviceGetHandleByIndex_v2 {index} out"))[0];
        puppet.ask(&format!("nvmlDeviceGetUUID {device} text 96")).trim_start_matches("0 ").to_owned()
    })
}

/// The sizes of the devices that CUDA shows.
fn sizes(puppet: &mut Puppet) -> Vec<u64> {
    puppet.does("cuInit 0");
    let count = puppet.does("cuDeviceGetCount out")[0];
    (0..count).map(|device| puppet.does(&format!("cuDeviceTotalMem_v2 out {device}"))[0]).collect()
}

/// The sizes that NVML shows.
fn nvml_sizes(puppet: &mut Puppet) -> Vec<u64> {
    puppet.does("nvmlInit_v2");
    let size = |index| {
        let device = puppet.does(&format!("nvmlDeviceGetHandleByIndex_v2 {index} out"))[0];
        puppet.does(&format!("nvmlDeviceGetMemoryInfo {device} out*3"))[0]
    };
    (0..3).map(size).collect()
}

/// With `CUDA_VISIBLE_DEVICES=visible` CUDA shows `expected` and NVML all three, whichever is initialised first; and an
/// allocation on the last device that is visible is limited by the same figure.
fn limits_follow_the_cards(machine: &Machine, visible: &str, expected: &[u64]) {
    for nvml_first in [false, true] {
        let mut puppet = Puppet::start(limited(machine).env("CUDA_VISIBLE_DEVICES", visible));
        let seen = if nvml_first {
            let nvml = nvml_sizes(&mut puppet);
            (sizes(&mut puppet), nvml)
        } else {
            let cuda = sizes(&mut puppet);
            (cuda, nvml_sizes(&mut puppet))
        };
        assert_eq!(seen, (expected.to_vec(), LIMITS.to_vec()), "{visible}, NVML first: {nvml_first}");
        let last = expected.len() - 1;
        puppet.does(&format!("cuCtxCreate_v2 out 0 {last}"));
        let free = puppet.memory().free;
        assert!(free < expected[last] && puppet.allocate(free + 1).is_err() && puppet.allocate(free).is_ok());
    }
}

#[test]
fn all_cards() {
    limits_follow_the_cards(&machine(), "0,1,2", &LIMITS);
}

#[test]
fn one_card_by_its_index() {
    limits_follow_the_cards(&machine(), "1", &[2 * GIB]);
}

#[test]
fn cards_in_another_order() {
    limits_follow_the_cards(&machine(), "2,0", &[3 * GIB, GIB]);
}

#[test]
fn cards_by_their_uuids() {
    let machine = machine();
    let [first, _, third] = uuids(&machine);
    limits_follow_the_cards(&machine, &third, &[3 * GIB]);
    limits_follow_the_cards(&machine, &format!("{third},{first}"), &[3 * GIB, GIB]);
}

#[test]
fn a_limit_of_one_card_leaves_the_others_to_the_limit_of_all() {
    let machine = machine();
    let run = machine.limited("4g").env("CUDA_DEVICE_MEMORY_LIMIT_1", "2g");
    assert_eq!(sizes(&mut Puppet::start(run)), [4 * GIB, 2 * GIB, 4 * GIB]);
}

#[test]
fn use_of_one_card_is_not_charged_to_another() {
    let machine = machine();
    let mut puppet = Puppet::start(machine.limited("1g"));
    puppet.does("cuInit 0");
    let contexts = [0, 1].map(|device| puppet.does(&format!("cuCtxCreate_v2 out 0 {device}"))[0]);
    let free = puppet.memory().free;
    puppet.allocate(free).unwrap();
    puppet.does(&format!("cuCtxSetCurrent {}", contexts[0]));
    assert_eq!(puppet.memory().free, free);
    assert!(puppet.allocate(free).is_ok());
}
