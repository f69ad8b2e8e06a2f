//! Without an account in the slice a process has no share of it.

use super::tenant::in_slice;
use crate::machine::Machine;
use crate::run::Run;
use crate::supervisor::Supervisor;
use contract::env;
use std::io::{BufRead, BufReader, Write};

/// The program whose child finds no room in the slice.
fn slotless(machine: &Machine) -> Run {
    machine.on(Run::preloaded(machine.program("slotless.c")))
}

/// Once it had the whole device, where only the share of it was limited.
#[test]
fn a_child_that_cannot_join_its_parent_s_slice_has_no_context() {
    let machine = Machine::new();
    let free = "nvmlInit_v2: 0\ncuInit: 0\ncuCtxCreate_v2: 0\nkernel: loaded\ncuLaunchKernel: 0\n";
    assert_eq!(slotless(&machine).output(), free);
    let limited = in_slice(&machine, slotless(&machine), "region", 30).said();
    assert_eq!(limited.output, "nvmlInit_v2: 0\ncuInit: 0\ncuCtxCreate_v2: 2\n");
    assert!(limited.errors.starts_with("vgpu: cannot join shared region"), "{}", limited.errors);
}

#[test]
fn a_context_that_it_had_before_there_was_a_limit_launches_nothing_afterwards() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.share(None));
    let run = supervisor.over(slotless(&machine)).env(env::REGION, machine.path("region"));
    let mut program = run.start();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "kernel: loaded"));
    supervisor.change(&supervisor.share(Some(30)));
    program.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(lines.next().as_deref(), Some("cuLaunchKernel: 2"));
    assert!(program.wait().unwrap().success());
}
