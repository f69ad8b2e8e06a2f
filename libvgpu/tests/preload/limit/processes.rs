//! The processes of one container share one limit.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;
use crate::puppet::{OUT_OF_MEMORY, Puppet};

#[test]
fn what_one_process_holds_another_cannot_have() {
    let machine = Machine::new();
    let [mut one, mut other] = [0; 2].map(|_| Puppet::with_context(machine.limited("2g")));
    let left = 2 * GIB - 2 * CONTEXT;
    assert_eq!([one.memory().free, other.memory().free], [left; 2]);
    let most = one.allocate(left - MIB).unwrap();
    assert_eq!(other.allocate(MIB + 1), Err(OUT_OF_MEMORY));
    assert!(other.allocate(MIB).is_ok());
    one.free(most);
    assert_eq!(other.memory().free, left - MIB);
}

#[test]
fn two_processes_that_race_for_60_percent_each_never_both_have_it() {
    let machine = Machine::new();
    let mut both = [0; 2].map(|_| Puppet::with_context(machine.limited("2g")));
    let left = both[0].memory().free;
    let size = left * 6 / 10;
    for puppet in &mut both {
        puppet.tell(&format!("race 3000 {size}"));
    }
    let granted = both.each_mut().map(|puppet| {
        let answer = puppet.hear();
        let numbers: Vec<u64> = answer.split(' ').map(|word| word.parse().unwrap()).collect();
        let [0, granted, refused] = numbers[..] else { panic!("{answer}") };
        assert_eq!(granted + refused, 3000);
        granted
    });
    assert!(granted.iter().sum::<u64>() > 0);
    let truth = machine.truth();
    assert_eq!(truth["device.0.requested_peak"], size);
    assert_eq!(truth["device.0.requested"], 0);
    assert_eq!(both[0].memory().free, left);
}

#[test]
fn what_a_killed_process_held_is_there_at_once_for_a_request_that_needs_it() {
    let machine = Machine::new();
    let mut victim = Puppet::with_context(machine.limited("2g"));
    let mut survivor = Puppet::with_context(machine.limited("2g"));
    let left = survivor.memory().free;
    victim.allocate(left).unwrap();
    assert_eq!(survivor.allocate(MIB), Err(OUT_OF_MEMORY));
    victim.kill();
    // Its context was part of it.
    assert!(survivor.allocate(left + CONTEXT).is_ok());
}

#[test]
fn what_a_killed_process_held_is_soon_shown_as_free() {
    let machine = Machine::new();
    let mut victim = Puppet::with_context(machine.limited("2g"));
    let mut survivor = Puppet::with_context(machine.limited("2g"));
    let left = survivor.memory().free;
    victim.allocate(left / 2).unwrap();
    victim.kill();
    // A second is promised; a machine that is busy with other tests may need longer.
    eventually("all is free", || (survivor.memory().free == left + CONTEXT).then_some(()));
}

#[test]
fn what_a_process_held_that_ended_without_freeing_is_there_at_once() {
    let machine = Machine::new();
    let mut first = Puppet::with_context(machine.limited("2g"));
    let left = first.memory().free;
    first.allocate(left).unwrap();
    first.tell("exit 0");
    assert_eq!(first.end().0.code(), Some(0));
    let mut second = Puppet::with_context(machine.limited("2g"));
    assert!(second.allocate(left).is_ok());
}

#[test]
fn a_container_of_the_dead_alone_starts_anew() {
    let machine = Machine::new();
    for _ in 0..3 {
        let mut tenant = Puppet::with_context(machine.limited("1g"));
        assert!(tenant.allocate(GIB - CONTEXT).is_ok());
        tenant.kill();
    }
}

#[test]
fn a_child_forked_before_the_first_call_is_a_tenant_of_its_own() {
    let machine = Machine::new();
    let mut parent = Puppet::start(machine.limited("2g"));
    let answers = parent
        .ask("fork cuInit 0; cuCtxCreate_v2 out 0 0; cuMemAlloc_v2 out 104857600; cuMemGetInfo_v2 out out");
    let free = answers.split(';').next_back().unwrap().split(' ').nth(1).unwrap();
    assert_eq!(free.parse(), Ok(2 * GIB - CONTEXT - 100 * MIB), "{answers}");
    // The child has ended: what it held is not the parent's.
    parent.does("cuInit 0");
    parent.does("cuCtxCreate_v2 out 0 0");
    assert!(parent.allocate(2 * GIB - CONTEXT).is_ok());
}

#[test]
fn a_child_forked_after_cuinit_neither_frees_nor_takes_what_is_its_parents() {
    let machine = Machine::new();
    let native =
        Puppet::with_context(machine.native()).ask("fork cuMemAlloc_v2 out 4096; cuMemGetInfo_v2 out out");
    let mut parent = Puppet::with_context(machine.limited("1g"));
    let address = parent.allocate(100 * MIB).unwrap();
    let before = parent.memory();
    assert_eq!(parent.ask("fork cuMemAlloc_v2 out 4096; cuMemGetInfo_v2 out out"), native);
    assert_eq!(parent.ask(&format!("fork cuMemFree_v2 {address}")), "3");
    assert_eq!(parent.memory(), before);
    parent.free(address);
    assert_eq!(parent.memory().free, before.free + 100 * MIB);
}

#[test]
fn a_parent_that_dies_leaves_its_child_s_account_alone() {
    let machine = Machine::new();
    let mut one = Puppet::with_context(machine.limited("2g"));
    let mut other = Puppet::with_context(machine.limited("2g"));
    let left = other.memory().free;
    one.allocate(100 * MIB).unwrap();
    one.ask("fork cuInit 0");
    one.kill();
    assert!(other.allocate(left + CONTEXT).is_ok());
    assert_eq!(other.allocate(1), Err(OUT_OF_MEMORY));
}

#[test]
fn a_program_that_replaces_another_by_exec_does_not_inherit_its_account() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    tenant.allocate(300 * MIB).unwrap();
    assert_eq!(tenant.ask("exec"), "ready");
    tenant.does("cuInit 0");
    tenant.does("cuCtxCreate_v2 out 0 0");
    assert!(tenant.allocate(GIB - CONTEXT).is_ok());
}

#[test]
fn what_a_program_held_that_was_replaced_by_exec_is_there_for_others() {
    let machine = Machine::new();
    let [mut tenant, mut other] = [0; 2].map(|_| Puppet::with_context(machine.limited("2g")));
    let left = other.memory().free;
    tenant.allocate(left).unwrap();
    // From now on it uses no GPU.
    assert_eq!(tenant.ask("exec"), "ready");
    assert!(other.allocate(left + CONTEXT).is_ok());
}
