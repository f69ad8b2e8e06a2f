//! Threads of one process whose calls overtake each other leave the books as they should be.

use super::books::Books;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;

/// A race of `threads` under `limit`, which ends with `left` bytes in both books while the process is alive. None of its
/// calls may have been refused for want of memory.
fn race(case: &str, threads: u32, rounds: u32, limit: &str, left: u64) {
    late_race(case, threads, rounds, limit, left, "");
}

/// The same with calls of the driver that return late, as a script of faults says: what they did is done long before the
/// library knows.
fn late_race(case: &str, threads: u32, rounds: u32, limit: &str, left: u64, late: &str) {
    let machine = Machine::new();
    let program = machine.program("races.c");
    let arguments = [case, &threads.to_string(), &rounds.to_string()];
    let run = arguments.iter().fold(machine.on(Run::preloaded(program)), |run, argument| run.arg(argument));
    let run = run.env("VGPU_SIM_FAULTS", late);
    let mut racing = Puppet::start(machine.in_container(run, limit));
    assert_eq!(racing.hear(), "0 refused", "{case}");
    assert_eq!(Books::of(&machine), Books::both(left), "{case}");
    let (status, errors) = racing.end();
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""), "{case}");
}

#[test]
fn contexts_made_by_many_threads_at_once_are_charged_what_they_take() {
    for _ in 0..5 {
        race("create", 16, 1, "16g", 16 * CONTEXT);
    }
}

#[test]
fn a_primary_context_that_many_threads_retain_at_once_is_charged_once() {
    // There is room for one.
    race("retain", 8, 500, "600m", 0);
}

#[test]
fn a_primary_context_that_ends_while_another_thread_retains_it_is_charged_while_it_lives() {
    race("retain-and-release", 4, 100, "8g", 0);
}

#[test]
fn memory_freed_by_two_threads_at_once_is_given_back_once() {
    race("free-twice", 3, 3000, "1g", CONTEXT);
}

#[test]
fn memory_allocated_while_its_context_ends_is_not_charged_for_ever() {
    race("destroy", 3, 300, "4g", 0);
}

#[test]
fn memory_that_the_driver_allocated_before_its_context_ended_is_not_charged_for_ever() {
    late_race("destroy", 3, 20, "4g", 0, "cuMemAlloc_v2:*=late:5");
    late_race("destroy", 3, 20, "4g", 0, "cuCtxDestroy_v2:*=late:5");
}

#[test]
fn an_array_destroyed_by_two_threads_at_once_is_given_back_once() {
    race("destroy-array-twice", 3, 1000, "1g", CONTEXT);
}

#[test]
fn arrays_created_while_their_context_ends_are_not_charged_for_ever() {
    race("destroy-with-arrays", 3, 200, "4g", 0);
    late_race("destroy-with-arrays", 3, 20, "4g", 0, "cuArray3DCreate_v2:*=late:5");
    late_race("destroy-with-arrays", 3, 20, "4g", 0, "cuCtxDestroy_v2:*=late:5");
}

#[test]
fn a_primary_context_that_came_or_went_before_the_library_knows_is_charged_while_it_lives() {
    let late = "cuDevicePrimaryCtxRelease_v2:*=late:1,cuDevicePrimaryCtxRetain:*=late:1";
    late_race("retain-and-release", 4, 3, "8g", 0, late);
}
