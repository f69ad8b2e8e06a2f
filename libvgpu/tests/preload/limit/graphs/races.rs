//! Threads that launch graphs with memory, end them, trim, and take other memory.

use super::CHUNK;
use crate::limit::{MIB, crowd};
use crate::machine::{CONTEXT, Machine};

/// Lets `threads` play with allocations of up to so many MiB, and answers with how often they were refused.
fn race(machine: &Machine, limit: u64, threads: u64, largest: u64) -> u64 {
    crowd::refused(machine, limit, "graphs.c", [threads, 50, largest])
}

#[test]
fn threads_that_have_room_are_never_refused_and_leave_nothing_behind() {
    // Each has a graph of two allocations and another one; what the last graph left may still be there, and what may be
    // taken for a launch is at most twice what is.
    let room = 4 * 5 * 2 * 20 * MIB + 64 * MIB;
    assert_eq!(race(&Machine::new(), CONTEXT + room, 4, 20), 0);
}

#[test]
fn threads_that_have_not_never_take_more_than_the_limit() {
    let machine = Machine::new();
    let limit = CONTEXT + 100 * MIB;
    assert!(race(&machine, limit, 4, 60) > 0);
    let truth = machine.truth();
    // What a graph takes for itself is only seen afterwards.
    assert!(truth["device.0.resident_peak"] <= limit + 4 * CHUNK, "{truth:?}");
}
