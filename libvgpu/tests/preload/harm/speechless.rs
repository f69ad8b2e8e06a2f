//! A standard error that takes nothing costs the line and nothing else.

use crate::machine::Machine;
use crate::run::Run;

/// A process with a malformed limit is neither ended nor held up when it cannot be told of it.
fn goes_on(how: &str) {
    let machine = Machine::new();
    let program = machine.program("speechless.c");
    let run = machine.in_container(machine.on(Run::preloaded(program)), "1.5g");
    assert_eq!(run.arg(how).output(), "cuInit: 802\nSIGPIPE: not blocked, not pending\n", "{how}");
}

#[test]
fn a_closed_standard_error_does_not_stop_the_program() {
    goes_on("closed");
}

#[test]
fn a_pipe_that_nobody_reads_does_not_kill_the_program() {
    goes_on("unread");
}

#[test]
fn a_full_pipe_does_not_block_the_program() {
    goes_on("full");
}
