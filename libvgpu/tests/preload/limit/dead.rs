//! What the dead held is not theirs any more.

use super::books::Books;
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;
use std::time::Duration;

/// Longer than the second after which nothing of a dead process may be seen.
const SECOND: Duration = Duration::from_millis(1500);

/// Waits for so long from when the machine has noticed that all are gone, which takes a busy one a moment.
fn a_second_after_the_last(machine: &Machine) {
    eventually("the end of every context", || (machine.truth()["device.0.contexts"] == 0).then_some(()));
    std::thread::sleep(SECOND);
}

/// `end` ends a process that holds memory, and a second later nobody is told of it who asks for the first time.
fn forgotten(end: impl Fn(Puppet)) {
    let machine = Machine::new();
    let mut first = Puppet::with_context(machine.limited("2g"));
    first.allocate(100 * MIB).unwrap();
    end(first);
    a_second_after_the_last(&machine);
    assert_eq!(Books::of(&machine), Books::both(0));

    let mut first = Puppet::with_context(machine.limited("2g"));
    first.allocate(100 * MIB).unwrap();
    end(first);
    a_second_after_the_last(&machine);
    let mut second = Puppet::with_context(machine.limited("2g"));
    assert_eq!(second.memory().free, 2 * GIB - CONTEXT);
}

#[test]
fn what_a_killed_process_held_is_not_told_as_used_a_second_later() {
    forgotten(Puppet::kill);
}

#[test]
fn what_a_process_held_that_ended_without_freeing_is_not_told_as_used_a_second_later() {
    forgotten(|mut puppet| {
        puppet.tell("exit 0");
        assert_eq!(puppet.end().0.code(), Some(0));
    });
}

#[test]
fn most_of_a_slice_that_goes_from_the_dead_to_the_living_is_never_held_twice() {
    let machine = Machine::new();
    let mut waiter = Puppet::with_context(machine.limited("2g"));
    let size = GIB;
    for _ in 0..30 {
        let mut victim = Puppet::with_context(machine.limited("2g"));
        victim.allocate(size).unwrap();
        // It has what the victim had as soon as that is gone, and the next victim needs it back.
        waiter.tell(&format!("race 5000 {size}"));
        victim.kill();
        let raced = waiter.hear();
        assert!(raced.starts_with("0 "), "{raced}");
        assert!(waiter.allocate(size).map(|address| waiter.free(address)).is_ok());
    }
    let truth = machine.truth();
    assert!(truth["device.0.charged_peak"] <= 2 * GIB, "{truth:?}");
    assert_eq!(truth["device.0.refused"], 0);
}

#[test]
fn killed_before_any_instruction_of_an_allocation_and_a_free_a_process_leaves_nothing_behind() {
    let machine = Machine::new();
    // A driver without a device behind it: nearly all instructions are ours.
    let run = Run::preloaded(stage::file("bin/traced")).arg("deaths").libraries(&stage::file("sim/null"));
    let output = machine.in_container(run, "4g").output();
    println!("{output}");
    assert!(output.ends_with(" killed, 0 bytes missing\n"), "{output}");
}
