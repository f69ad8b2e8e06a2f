//! Threads that launch graphs with memory, end them, trim, and take other memory.

use super::CHUNK;
use crate::limit::MIB;
use crate::limit::books::Books;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;

/// Lets `threads` play with allocations of up to so many MiB, and answers with how often they were refused. Afterwards
/// nothing of it may be left, neither in the machine nor in the account.
fn race(machine: &Machine, limit: u64, threads: u64, largest: u64) -> u64 {
    let program = machine.program("graphs.c");
    let run = [threads, 50, largest]
        .iter()
        .fold(machine.on(Run::preloaded(program)), |run, number| run.arg(number.to_string()));
    let mut racing = Puppet::start(machine.in_container(run, &format!("{limit}")));
    let refused = racing.hear();
    assert_eq!(Books::of(machine), Books::both(CONTEXT), "{refused} refused");
    let (status, errors) = racing.end();
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));
    refused.parse().unwrap()
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
