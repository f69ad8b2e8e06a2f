//! One process: the last byte that fits is granted, the next refused.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

/// A tenant of 1 GiB with a context: `GIB - CONTEXT` bytes are left.
fn tenant(machine: &Machine) -> Puppet {
    Puppet::with_context(machine.limited("1g"))
}

const LEFT: u64 = GIB - CONTEXT;

#[test]
fn the_last_byte_that_fits_is_granted_and_the_next_refused() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    assert_eq!(tenant.memory().free, LEFT);
    assert_eq!(tenant.allocate(LEFT + 1), Err(OUT_OF_MEMORY));
    let all = tenant.allocate(LEFT).unwrap();
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    tenant.free(all);
    assert!(tenant.allocate(LEFT).is_ok());
}

#[test]
fn a_refusal_is_not_asked_of_the_driver_and_leaves_outputs_alone() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let refused = OUT_OF_MEMORY.to_string();
    // A puppet adds `changed` when an output was written to.
    for call in [
        "cuMemAlloc_v2 out 1073741824",
        "cuMemAlloc out 1073741824",
        "cuMemAllocManaged out 1073741824 1",
        "cuMemAllocPitch_v2 out out 1048576 1024 4",
        "cuMemAllocPitch out out 1048576 1024 4",
        "cuCtxCreate_v2 out 0 0",
    ] {
        if call.starts_with("cuCtxCreate") {
            tenant.allocate(LEFT - MIB).unwrap();
        }
        assert_eq!(tenant.ask(call), refused, "{call}");
    }
    assert_eq!(machine.truth()["device.0.refused"], 0);
}

#[test]
fn the_first_version_of_the_call_obeys_the_same_limit() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    // Of addresses with 32 bits there are few.
    tenant.allocate(LEFT - MIB).unwrap();
    let granted = tenant.does(&format!("cuMemAlloc out {MIB}"))[0];
    assert_eq!(tenant.ask("cuMemAlloc out 1"), "2");
    assert_eq!(tenant.ask(&format!("cuMemFree {granted}")), "0");
    assert_eq!(tenant.memory().free, MIB);
}

#[test]
fn managed_memory_is_charged_in_full() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let address = tenant.does(&format!("cuMemAllocManaged out {LEFT} 1"))[0];
    assert_eq!(tenant.ask("cuMemAllocManaged out 1 1"), "2");
    tenant.free(address);
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn pitched_memory_is_charged_at_the_pitch_that_the_driver_chose() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let [address, pitch] = tenant.does("cuMemAllocPitch_v2 out out 1000 1024 4")[..] else {
        panic!("two outputs")
    };
    assert!(pitch >= 1000);
    assert_eq!(tenant.memory().free, LEFT - pitch * 1024);
    tenant.free(address);
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn pitched_memory_that_fits_to_the_last_byte_is_granted() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let pitch = tenant.does("cuMemAllocPitch_v2 out out 1000 1 4")[1];
    let rows = LEFT / pitch - 1;
    // Whatever upper bound of the pitch was reserved at first, what counts is the real one.
    tenant.does(&format!("cuMemAllocPitch_v2 out out {pitch} {rows} 4"));
    assert_eq!(tenant.memory().free, LEFT - pitch * (rows + 1));
    assert_eq!(tenant.ask(&format!("cuMemAllocPitch_v2 out out {pitch} 2 4")), "2");
}

#[test]
fn many_small_allocations_are_charged_to_the_byte() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let pieces = 1000;
    assert_eq!(tenant.does(&format!("take {pieces} 1000")), [pieces]);
    assert_eq!(tenant.memory().free, LEFT - pieces * 1000);
    assert_eq!(machine.truth()["device.0.requested"], pieces * 1000);
}

#[test]
fn sizes_that_overflow_are_refused_like_any_other() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    assert_eq!(tenant.ask("cuMemAlloc_v2 out -1"), "2");
    assert_eq!(tenant.ask("cuMemAllocManaged out -1 1"), "2");
    let native = Puppet::with_context(machine.native()).ask("cuMemAllocPitch_v2 out out -1 -1 4");
    assert_eq!(tenant.ask("cuMemAllocPitch_v2 out out -1 -1 4"), native);
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn what_a_context_takes_is_charged_and_given_back_with_all_that_was_allocated_in_it() {
    let machine = Machine::new();
    let mut tenant = Puppet::start(machine.limited("2g"));
    tenant.does("cuInit 0");
    let first = tenant.does("cuCtxCreate_v2 out 0 0")[0];
    assert_eq!(tenant.memory().free, 2 * GIB - CONTEXT);
    let second = tenant.does("cuCtxCreate_v2 out 0 0")[0];
    tenant.allocate(100 * MIB).unwrap();
    assert_eq!(tenant.memory().free, 2 * GIB - 2 * CONTEXT - 100 * MIB);
    tenant.does(&format!("cuCtxDestroy_v2 {second}"));
    tenant.does(&format!("cuCtxSetCurrent {first}"));
    assert_eq!(tenant.memory().free, 2 * GIB - CONTEXT);
}

#[test]
fn every_version_of_the_call_that_makes_a_context_charges_it() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("4g"));
    let alone = tenant.memory().free;
    for (create, destroy) in [
        ("cuCtxCreate out 0 0", "cuCtxDestroy"),
        ("cuCtxCreate_v2 out 0 0", "cuCtxDestroy_v2"),
        ("cuCtxCreate_v3 out null 0 0 0", "cuCtxDestroy_v2"),
    ] {
        let context = tenant.does(create)[0];
        assert_eq!(tenant.memory().free, alone - CONTEXT, "{create}");
        tenant.does(&format!("{destroy} {context}"));
        assert_eq!(tenant.memory().free, alone, "{create}");
    }
}

#[test]
fn threads_that_race_for_60_percent_each_never_have_it_together() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let context = tenant.does("cuCtxGetCurrent out")[0];
    let size = LEFT * 6 / 10;
    let answers = tenant.ask(&format!("threads 8 cuCtxSetCurrent {context}; race 500 {size}"));
    for answer in answers.split('|') {
        let numbers: Vec<u64> =
            answer.trim_start_matches("0;").split(' ').map(|word| word.parse().unwrap()).collect();
        let [0, granted, refused] = numbers[..] else { panic!("{answers}") };
        assert_eq!(granted + refused, 500);
    }
    let truth = machine.truth();
    assert_eq!((truth["device.0.requested_peak"], truth["device.0.refused"]), (size, 0));
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn threads_that_allocate_and_free_without_pause_lose_no_byte() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let context = tenant.does("cuCtxGetCurrent out")[0];
    // Small pieces: an address that one thread frees is the next that another gets.
    let answers = tenant.ask(&format!("threads 8 cuCtxSetCurrent {context}; race 2000 4096"));
    assert_eq!(answers, ["0;0 2000 0"; 8].join("|"));
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn a_primary_context_is_charged_once_and_given_back_with_its_last_reference() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("2g"));
    let alone = tenant.memory().free;
    tenant.does("cuDevicePrimaryCtxRetain out 0");
    tenant.does("cuDevicePrimaryCtxRetain out 0");
    assert_eq!(tenant.memory().free, alone - CONTEXT);
    tenant.does("cuDevicePrimaryCtxRelease_v2 0");
    assert_eq!(tenant.memory().free, alone - CONTEXT);
    tenant.does("cuDevicePrimaryCtxRelease_v2 0");
    assert_eq!(tenant.memory().free, alone);
}

#[test]
fn a_primary_context_that_is_reset_gives_back_what_was_allocated_in_it() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("2g"));
    let alone = tenant.memory().free;
    let first = tenant.does("cuCtxGetCurrent out")[0];
    let primary = tenant.does("cuDevicePrimaryCtxRetain out 0")[0];
    tenant.does(&format!("cuCtxSetCurrent {primary}"));
    tenant.allocate(100 * MIB).unwrap();
    tenant.does(&format!("cuCtxSetCurrent {first}"));
    tenant.does("cuDevicePrimaryCtxReset_v2 0");
    assert_eq!(tenant.memory().free, alone);
}

#[test]
fn memory_is_freed_by_another_thread_and_under_another_context() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("2g"));
    let alone = tenant.memory().free;
    let [first, second] = [tenant.allocate(MIB), tenant.allocate(MIB)].map(Result::unwrap);
    let context = tenant.does("cuCtxGetCurrent out")[0];
    assert_eq!(tenant.ask(&format!("thread cuCtxSetCurrent {context}; cuMemFree_v2 {first}")), "0;0");
    let other = tenant.does("cuCtxCreate_v2 out 0 0")[0];
    tenant.free(second);
    tenant.does(&format!("cuCtxDestroy_v2 {other}"));
    assert_eq!(tenant.memory().free, alone);
}

#[test]
fn a_charge_is_kept_when_the_driver_does_not_free_until_the_context_ends() {
    let machine = Machine::new();
    // An error that an earlier kernel left behind: from then on it is the answer to every call in this context.
    let faulty = machine.limited("2g").env("VGPU_SIM_FAULTS", "cuMemFree_v2:1=700");
    let [mut tenant, mut other] = [faulty, machine.limited("2g")].map(Puppet::with_context);
    let free = other.memory().free;
    let context = tenant.does("cuCtxGetCurrent out")[0];
    let address = tenant.allocate(MIB).unwrap();
    for _ in 0..2 {
        assert_eq!(tenant.ask(&format!("cuMemFree_v2 {address}")), "700");
        assert_eq!(other.memory().free, free - MIB);
    }
    tenant.does(&format!("cuCtxDestroy_v2 {context}"));
    assert_eq!(other.memory().free, free + CONTEXT);
}

#[test]
fn a_charge_is_given_back_when_the_driver_does_not_grant() {
    let machine = Machine::new();
    let faults = "cuMemAlloc_v2:1=2,cuMemAllocManaged:1=2,cuMemAllocPitch_v2:*=2,cuCtxCreate_v2:2=2";
    let mut tenant = Puppet::with_context(machine.limited("1g").env("VGPU_SIM_FAULTS", faults));
    for call in [
        "cuMemAlloc_v2 out 1000",
        "cuMemAllocManaged out 1000 1",
        "cuMemAllocPitch_v2 out out 1000 10 4",
        "cuCtxCreate_v2 out 0 0",
    ] {
        assert_eq!(tenant.ask(call), "2", "{call}");
        assert_eq!(tenant.memory().free, LEFT, "{call}");
    }
}
