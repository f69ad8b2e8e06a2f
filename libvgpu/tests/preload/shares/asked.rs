//! Work that a program waits for by asking whether it is done.

use super::tenant::in_slice;
use crate::machine::Machine;
use crate::patience::eventually;
use crate::run::Run;
use policy::compute::Nanos;
use shared_region::snapshot::Snapshot;
use std::io::{BufRead, BufReader};

/// Once it was part of a measurement that only another launch could end, and was held to be time in which nothing ran.
#[test]
fn a_kernel_that_takes_longer_than_those_before_it_is_measured_when_a_program_asks_for_it() {
    for by in ["stream", "event"] {
        let machine = Machine::new();
        let run = machine.on(Run::preloaded(machine.program("asks.c"))).arg(by);
        let mut program = in_slice(&machine, run, "region", 90).start();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "done");
        let measured = || {
            let snapshot = Snapshot::read(&machine.path("region")).unwrap();
            let busy = snapshot.processes[0].usage[0].compute.busy;
            (busy >= Nanos::from_millis(340)).then_some(())
        };
        eventually("380 ms of kernels are measured, within a tenth", measured);
        drop(program.stdin.take());
        assert!(program.wait().unwrap().success());
    }
}
