//! NVML's public lists of processes.

use crate::compile;
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

/// What `processes_listed` says when run so, a line a question.
fn listed(machine: &Machine, device: &str, around: impl FnOnce(Run) -> Run) -> BTreeMap<String, String> {
    let program = compile::program(&machine.path(""), "processes_listed.c", &[]);
    let output = around(machine.on(Run::preloaded(program))).arg(device).output();
    let line = |line: &str| {
        let (question, answer) = line.split_once(": ").unwrap();
        (question.to_owned(), answer.to_owned())
    };
    output.lines().map(line).collect()
}

/// The same of the first device, once the machine tells use: after a window of it.
pub(super) fn listed_with_use(machine: &Machine, around: impl Fn(Run) -> Run) -> BTreeMap<String, String> {
    eventually("use of the slice's process", || {
        Some(listed(machine, "0", &around)).filter(|said| said["use"].starts_with('0'))
    })
}

/// A process of `run` that has allocated so many MiB on the first device.
fn tenant(run: Run, mib: u64) -> Puppet {
    let mut puppet = Puppet::with_context(run);
    puppet.allocate(mib * MIB).unwrap();
    puppet
}

/// An entry of a list as it is printed.
fn entry(puppet: &Puppet, mib: u64) -> String {
    format!("{}/{}", puppet.pid(), CONTEXT + mib * MIB)
}

/// Another container on the same machine.
fn another_container(machine: &Machine) -> Run {
    machine.limited("2g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("another"))
}

#[test]
fn every_list_shows_the_slices_processes_and_what_they_are_charged() {
    let machine = Machine::new();
    let own = [tenant(machine.limited("4g"), 100), tenant(machine.limited("4g"), 200)];
    let _others = [tenant(another_container(&machine), 300), tenant(machine.native(), 400)];
    let said = listed(&machine, "0", |run| machine.in_container(run, "4g"));
    let mut entries = [entry(&own[0], 100), entry(&own[1], 200)];
    if own[0].pid() > own[1].pid() {
        entries.reverse();
    }
    let all = format!("0 {}", entries.join(" "));
    for list in ["Compute", "Compute v2", "Compute v3"] {
        assert_eq!(said[list], all, "{list}");
    }
    assert_eq!(said["Detail 0"], format!("{all}, version 25"));
    for list in ["Graphics", "Graphics v2", "Graphics v3", "MPSCompute", "MPSCompute v2", "MPSCompute v3"] {
        assert_eq!(said[list], "0", "{list}");
    }
    assert_eq!((&*said["Detail 1"], &*said["Detail 2"]), ("0, version 25", "0, version 25"));
    assert_eq!(said["memory"], format!("0 {} {}", 4_u64 << 30, 2 * CONTEXT + 300 * MIB), "the sum of both");
}

#[test]
fn lists_keep_nvmls_protocol() {
    let machine = Machine::new();
    let _own = [tenant(machine.limited("4g"), 100), tenant(machine.limited("4g"), 200)];
    let mut said = listed(&machine, "0", |run| machine.in_container(run, "4g"));
    let mut native = listed(&machine, "0", |run| run);
    for question in ["number", "too small", "nowhere", "no count", "no device"] {
        assert_eq!(said.remove(question), native.remove(question), "{question}");
    }
    assert_eq!(listed(&machine, "0", |run| machine.in_container(run, "4g"))["number"], "7 2");
}

#[test]
fn a_slice_without_processes_has_none_although_the_card_has() {
    let machine = Machine::new();
    let _other = tenant(machine.native(), 100);
    let said = listed(&machine, "0", |run| machine.in_container(run, "4g"));
    assert_eq!((&*said["Compute v3"], &*said["number"]), ("0", "0 0"));
    assert_eq!((&*said["memory"], &*said["use"]), ("0 4294967296 0", "6"));
}

#[test]
fn others_are_hidden_on_a_gpu_without_a_limit_too() {
    let machine = Machine::with("550", 2);
    let _other = tenant(machine.native(), 100);
    let on_the_second = |run: Run| {
        run.env("CUDA_DEVICE_MEMORY_LIMIT_1", "1g")
            .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("region"))
    };
    let own = tenant(on_the_second(machine.preloaded()), 200);
    let said = listed(&machine, "0", on_the_second);
    assert_eq!(said["Compute v3"], format!("0 {}", entry(&own, 200)));
    assert_eq!(said["memory"], format!("0 {} {}", 81_559 * MIB, 2 * CONTEXT + 300 * MIB + 559 * MIB));
}

#[test]
fn a_process_leaves_the_list_when_it_is_killed() {
    let machine = Machine::new();
    let [first, second] = [100, 200].map(|mib| tenant(machine.limited("4g"), mib));
    second.kill();
    let said = listed(&machine, "0", |run| machine.in_container(run, "4g"));
    assert_eq!(said["Compute v3"], format!("0 {}", entry(&first, 100)));
    assert_eq!(said["memory"], format!("0 {} {}", 4_u64 << 30, CONTEXT + 100 * MIB));
}

#[test]
fn use_is_that_of_the_slices_processes() {
    let machine = Machine::frozen("550");
    let own = tenant(machine.limited("4g"), 100);
    let other = tenant(machine.native(), 100);
    let said = listed_with_use(&machine, |run| machine.in_container(run, "4g"));
    assert_eq!(said["use"], format!("0 {}/37", own.pid()));
    assert_eq!(said["rates"], "0 37 5");
    drop(own);
    let said = listed(&machine, "0", |run| machine.in_container(run, "4g"));
    assert_eq!((&*said["use"], &*said["rates"]), ("6", "0 0 0"), "what {} uses is another's", other.pid());
}
