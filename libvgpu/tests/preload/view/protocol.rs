//! How NVML is asked: a slice answers every way of asking as a machine with nothing but the slice's processes would.

use crate::compile;
use crate::machine::{BRANCHES, Machine};
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;

/// What `protocol` says of two processes: alone on a machine natively, there with the library, and in their slice on a machine
/// with others.
fn three_ways(branch: &'static str, argument: &str) -> [Vec<String>; 3] {
    let alone = Machine::frozen(branch);
    let shared = Machine::frozen(branch);
    let _tenants = [
        Puppet::with_context(alone.native()),
        Puppet::with_context(alone.native()),
        Puppet::with_context(shared.limited("4g")),
        Puppet::with_context(shared.limited("4g")),
        Puppet::with_context(shared.native()),
    ];
    for machine in [&alone, &shared] {
        until_use_is_told(machine);
    }
    let program = compile::program(&alone.path(""), "protocol.c", &[]);
    let runs = [
        alone.on(Run::natively(&program)),
        alone.on(Run::preloaded(&program)),
        shared.in_container(shared.on(Run::preloaded(&program)), "4g"),
    ];
    runs.map(|run| run.arg(argument).output().lines().map(str::to_owned).collect())
}

/// A machine tells what processes use once a sample window of it has passed.
fn until_use_is_told(machine: &Machine) {
    let program = compile::program(&machine.path(""), "processes_listed.c", &[]);
    eventually("use of processes", || {
        machine.on(Run::natively(&program)).output().contains("\nuse: 0 ").then_some(())
    });
}

/// Fails with the lines that differ.
fn assert_same(native: &[String], other: &[String], what: &str) {
    let differs = |(native, other): &(&String, &String)| native != other;
    let differing: Vec<_> = native.iter().zip(other).filter(differs).take(20).collect();
    assert!(differing.is_empty() && native.len() == other.len(), "{what}: {differing:#?}");
}

#[test]
fn every_way_of_asking_is_answered_as_natively() {
    for branch in BRANCHES {
        let [native, preloaded, slice] = three_ways(branch, "public");
        assert!(native.len() > 500, "{native:#?}");
        assert_same(&native, &preloaded, &format!("{branch} without a limit"));
        assert_same(&native, &slice, &format!("{branch} in a slice"));
    }
}

#[test]
fn the_internal_table_is_as_patient_as_the_drivers_own() {
    for branch in ["535", "550"] {
        let [native, preloaded, slice] = three_ways(branch, "table");
        assert_same(&native, &preloaded, &format!("{branch} without a limit"));
        assert_same(&native, &slice, &format!("{branch} in a slice"));
    }
}
