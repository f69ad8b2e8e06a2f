//! Shares, balance and priorities as `vgpu run` writes them into limits pages, and who keeps them there.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use contract::env::Priority;
use contract::limits_page::{Effective, SharePolicy, effective_word};
use contract::{Percent, paths};
use rustix::process::Signal;

use crate::machine::{Machine, Running, eventually, page, stderr};

/// An owner that has something to write does so within this.
const RENEWED_WITHIN: Duration = Duration::from_millis(600);

const SLEEP: &str = "echo ready; exec sleep 1000";

/// What the slice in `dir` is allowed of the first GPU at the moment.
fn allowed(dir: &Path) -> Option<Effective> {
    let bytes = fs::read(paths::limits_file(&dir.join(paths::RUN_LIMITS_DIR))).expect("a limits page");
    Effective::from_word(u64::from_le_bytes(bytes.as_chunks().0[effective_word(0)]))
}

/// Waits until what the slice in `dir` is allowed is renewed.
fn renewed(dir: &Path) {
    let before = allowed(dir);
    eventually(|| allowed(dir).is_some() && allowed(dir) != before);
}

impl Running {
    /// A slice that asks for nothing, and where it is. Where an owner decides anything, it renews what this one is allowed, since nobody
    /// measures what a program without a limit does otherwise.
    fn without_a_limit(machine: &Machine) -> (Self, std::path::PathBuf) {
        let running = Self::start(machine.run(&[], SLEEP));
        (running, only_slice(machine))
    }
}

fn only_slice(machine: &Machine) -> std::path::PathBuf {
    let [slice] = &machine.slices()[..] else { panic!("one slice") };
    slice.clone()
}

#[test]
fn what_is_asked_for_is_in_the_page() {
    let machine = Machine::new();
    let options = ["--cores", "30", "--policy", "balance", "--priority", "high"];
    let _running = Running::start(machine.run(&options, SLEEP));
    let entry = page(&only_slice(&machine)).entries()[1];
    assert_eq!(
        (entry.cores, entry.policy, entry.priority),
        (Percent::new(30), SharePolicy::Balance, Priority(0))
    );
}

#[test]
fn the_priority_may_be_in_the_environment() {
    let machine = Machine::new();
    for (options, variable, priority) in [(&[][..], "0", 0), (&[], "", 1), (&["--priority", "low"], "0", 1)] {
        let mut command = machine.run(options, SLEEP);
        command.env("CUDA_TASK_PRIORITY", variable);
        let _running = Running::start(command);
        assert_eq!(page(&only_slice(&machine)).entries()[0].priority, Priority(priority));
    }
    let mut command = machine.run(&[], "true");
    let output = command.env("CUDA_TASK_PRIORITY", "high").output().expect("it runs");
    assert_eq!(output.status.code(), Some(125));
    assert_eq!(
        stderr(&output),
        "vgpu: CUDA_TASK_PRIORITY=high is not a priority; write a whole number, 0 for high or 1 for low\n"
    );
}

#[test]
fn nobody_is_the_owner_of_slices_that_ask_for_nothing() {
    let machine = Machine::new();
    let running = Running::start(machine.run(&["--cores", "30", "--priority", "low"], SLEEP));
    let threads = fs::read_dir(format!("/proc/{}/task", running.child.id())).expect("it runs").count();
    assert!(threads <= 3, "one waits for the command, one for signals, one for a page that asks");
    assert!(!machine.at("runtime/vgpu").join(paths::RUNS_LEADER).exists());
    assert_eq!(allowed(&only_slice(&machine)), None);
}

#[test]
fn an_owner_that_is_killed_is_followed_by_the_next() {
    let machine = Machine::new();
    let (_beside, dir) = Running::without_a_limit(&machine);
    let first = Running::start(machine.run(&["--cores", "20", "--policy", "balance"], SLEEP));
    renewed(&dir);
    let _second = Running::start(machine.run(&["--priority", "high"], SLEEP));
    first.signal(Signal::KILL);
    renewed(&dir);
    renewed(&dir);
    assert_eq!(machine.slices().len(), 3);
}

#[test]
fn an_owner_that_is_stopped_makes_way_and_may_come_back() {
    let machine = Machine::new();
    let (_beside, dir) = Running::without_a_limit(&machine);
    let mut first = machine.run(&["--cores", "20", "--policy", "balance"], SLEEP);
    // As a shell that can let it go on starts it: nobody stops a job that nobody else in its session started.
    first.process_group(0);
    let first = Running::start(first);
    renewed(&dir);
    first.signal(Signal::TSTP);
    eventually(|| {
        fs::read_to_string(format!("/proc/{}/stat", first.child.id())).is_ok_and(|stat| stat.contains(") T "))
    });
    let second = Running::start(machine.run(&["--priority", "high"], SLEEP));
    renewed(&dir);
    first.signal(Signal::CONT);
    drop(second);
    renewed(&dir);
    renewed(&dir);
}

#[test]
fn a_change_of_a_slice_that_asks_for_nothing_is_followed_by_the_owner() {
    let machine = Machine::new();
    let (_beside, dir) = Running::without_a_limit(&machine);
    let _asking = Running::start(machine.run(&["--priority", "high"], SLEEP));
    renewed(&dir);
    assert!(allowed(&dir).is_some_and(|effective| !effective.is_gated));
    let name = dir.file_name().expect("a name").to_string_lossy();
    let changed = machine.vgpu(&["limits", &name, "--cores", "40"]).output().expect("it runs");
    assert!(changed.status.success(), "{}", stderr(&changed));
    // Its own share is not written for it.
    eventually(|| allowed(&dir).is_none());
    std::thread::sleep(RENEWED_WITHIN);
    assert_eq!(allowed(&dir), None);
}

#[test]
fn a_slice_that_begins_to_ask_while_it_runs_has_an_owner() {
    let machine = Machine::new();
    let (_beside, beside) = Running::without_a_limit(&machine);
    let _running = Running::start(machine.run(&["--cores", "20"], SLEEP));
    let dir = machine.slices().into_iter().find(|dir| *dir != beside).expect("two slices");
    let name = dir.file_name().expect("a name").to_string_lossy();
    let changed = machine.vgpu(&["limits", &name, "--policy", "balance"]).output().expect("it runs");
    assert_eq!((changed.status.code(), stderr(&changed).as_str()), (Some(0), ""));
    renewed(&beside);
}
