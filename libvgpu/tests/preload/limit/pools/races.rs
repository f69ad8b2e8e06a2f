//! Threads that take memory of one pool and give it back.

use crate::limit::{MIB, crowd};
use crate::machine::{CONTEXT, Machine};

/// Lets `threads` take and free pieces of up to so many MiB, and answers with how often they were refused.
fn race(machine: &Machine, limit: u64, threads: u64, largest: u64) -> u64 {
    crowd::refused(machine, limit, "pools.c", [threads, 150, largest])
}

#[test]
fn threads_that_have_room_are_never_refused_and_leave_nothing_behind() {
    // Each holds three pieces at most, and a pool may take a step for each, and one more before it is charged.
    let room = 4 * 4 * 64 * MIB;
    assert_eq!(race(&Machine::new(), CONTEXT + room, 4, 20), 0);
}

#[test]
fn threads_that_have_not_never_take_more_than_the_limit() {
    let machine = Machine::new();
    let limit = CONTEXT + 200 * MIB;
    assert!(race(&machine, limit, 4, 60) > 0);
    let truth = machine.truth();
    assert!(truth["device.0.resident_peak"] <= limit + 64 * MIB, "{truth:?}");
}
