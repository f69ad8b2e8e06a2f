//! Programs with well-known programs' habits: the same natively and in a slice that is large enough, and in a smaller one
//! they get what fits. Afterwards nothing is charged and nothing is held.

use super::MIB;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;

const HABITS: [&str; 4] = ["expandable", "sleep", "peers", "stack"];

/// What each of them uses at most.
const MOST: u64 = 240 * MIB;

fn program(habit: &str) -> Run {
    let mebibytes = (MOST / MIB).to_string();
    Run::preloaded(stage::file("bin/virtual-memory")).arg(habit).arg(mebibytes)
}

fn native(machine: &Machine, habit: &str) -> String {
    let mebibytes = (MOST / MIB).to_string();
    machine.on(Run::natively(stage::file("bin/virtual-memory")).arg(habit).arg(mebibytes)).output()
}

/// Asserts that a slice of so many bytes is as empty as it was, and the card too.
fn assert_empty(machine: &Machine, limit: u64) {
    let mut witness = Puppet::with_context(machine.limited(&limit.to_string()));
    assert_eq!(witness.memory().free, limit - CONTEXT);
    let truth = machine.truth();
    assert_eq!((truth["device.0.requested"], truth["device.0.resident"]), (0, CONTEXT));
}

#[test]
fn a_habit_is_the_same_natively_and_in_a_slice_that_is_large_enough() {
    for habit in HABITS {
        let machine = Machine::new();
        // The two peers have a context each.
        let limit = 2 * CONTEXT + MOST;
        let limited = machine.in_container(machine.on(program(habit)), &limit.to_string()).output();
        assert_eq!(limited, native(&machine, habit), "{habit}");
        assert_eq!(machine.truth()["device.0.refused"], 0, "{habit}");
        assert_empty(&machine, limit);
    }
}

#[test]
fn a_segment_and_a_stack_get_what_fits_and_go_on() {
    for (habit, said) in [("expandable", "5 large and 10 small pieces\n"), ("stack", "98 MiB in 9 steps\n")] {
        let machine = Machine::new();
        let limit = CONTEXT + 100 * MIB;
        let limited = machine.in_container(machine.on(program(habit)), &limit.to_string()).output();
        assert_eq!(limited, said, "{habit}");
        assert_eq!(machine.truth()["device.0.refused"], 0, "{habit}: the driver was asked");
        assert_empty(&machine, limit);
    }
}
