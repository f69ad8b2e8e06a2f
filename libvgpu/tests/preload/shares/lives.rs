//! What measuring must neither disturb nor trip over.

use super::tenant::in_slice;
use crate::machine::Machine;
use crate::run::Run;

/// Does `what` in a slice that has a third of the device.
#[track_caller]
fn goes_well(what: &str) {
    let machine = Machine::new();
    let run = machine.on(Run::preloaded(machine.program("lives.c"))).arg(what);
    assert_eq!(in_slice(&machine, run, "region", 30).output(), "fine\n");
}

#[test]
fn captures_of_every_mode_are_never_broken_off() {
    goes_well("capture");
}

#[test]
fn a_capture_that_the_default_stream_would_break_is_not() {
    goes_well("blocking");
}

/// Once the thread that had waited recorded an event in the capture, and asking about that broke it off.
#[test]
fn a_capture_that_begins_where_another_thread_waits_is_not_broken_off() {
    goes_well("waits");
}

#[test]
fn a_function_that_a_stream_calls_is_refused_its_launch_at_once() {
    goes_well("callback");
}

#[test]
fn a_forked_child_has_no_part_in_it_and_ends() {
    goes_well("forks");
}

#[test]
fn contexts_end_with_work_under_way() {
    goes_well("contexts");
}

#[test]
fn streams_end_with_work_under_way_and_others_are_called_the_same() {
    goes_well("streams");
}

#[test]
fn threads_come_and_go() {
    goes_well("threads");
}

#[test]
fn signals_interrupt_no_wait_for_good() {
    goes_well("signals");
}

#[test]
fn the_thread_that_measures_goes_when_there_is_nothing_to_measure_and_comes_again() {
    goes_well("idle");
}

#[test]
fn a_program_ends_while_its_work_is_looked_at() {
    goes_well("leave");
}
