//! Shares of the simulated card's time, as they are kept and shown.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{User, staged};

/// A program in a slice that launches kernels back to back until it is ended.
struct Launcher(Child);

impl Launcher {
    fn start(user: &User, options: &[&str], workload: &str) -> Self {
        let mut command: Command = user.vgpu(&["run", "--sim"]);
        command.args(options).arg("--").arg(staged("bin/launcher")).args([workload, "--seconds", "0"]);
        Self(command.stdout(Stdio::null()).spawn().expect("it starts"))
    }

    /// What `vgpu ps --json` says of its only GPU.
    fn compute(&self, user: &User) -> Value {
        user.find_slice(self.0.id()).map_or(Value::Null, |slice| slice["gpus"][0]["compute"].clone())
    }

    /// Waits until the share in force is `share` and the slice has between `least` and `most` of the card's time, in thousandths.
    /// How exactly is for the virtual clock to say: here the machine may be busy.
    fn settles(&self, user: &User, share: u64, least: u64, most: u64) {
        let start = Instant::now();
        loop {
            let compute = self.compute(user);
            let achieved = compute["achieved_permille"].as_u64().unwrap_or(0);
            if compute["share_permille"] == share && (least..=most).contains(&achieved) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "{share} in force: {compute}");
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

#[test]
fn a_share_is_kept_changed_and_shown() {
    let user = User::new();
    let launcher = Launcher::start(&user, &["--cores", "30"], "medium");
    let id = launcher.0.id().to_string();
    launcher.settles(&user, 300, 200, 400);
    let before = launcher.compute(&user);
    let output = user.vgpu(&["limits", &id, "--cores", "60"]).output().expect("it runs");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    launcher.settles(&user, 600, 450, 750);
    let after = launcher.compute(&user);
    for counter in ["launches", "busy_ms", "waited_ms"] {
        assert!(after[counter].as_u64() > before[counter].as_u64(), "{before} {after}");
    }
    let table = user.vgpu(&["ps"]).output().expect("it runs").stdout;
    let table = String::from_utf8_lossy(&table);
    assert!(table.contains("TIME / SHARE") && table.contains(" / 60 %"), "{table}");
}

/// Once it was what had been measured in the few milliseconds that the change took: nothing, or more than there is.
#[test]
fn what_is_shown_after_a_change_was_looked_at_for_a_while() {
    const CHANGES: usize = 6;
    let user = User::new();
    let launcher = Launcher::start(&user, &["--cores", "50"], "medium");
    let id = launcher.0.id().to_string();
    launcher.settles(&user, 500, 300, 700);
    let achieved = |_| {
        let output = user.vgpu(&["limits", &id, "--cores", "50", "--json"]).output().expect("it runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        document["slices"][0]["gpus"][0]["compute"]["achieved_permille"].as_u64().expect("two looks")
    };
    let achieved: Vec<u64> = (0..CHANGES).map(achieved).collect();
    // The machine may be busy now and then.
    let right = achieved.iter().filter(|achieved| (100..=1000).contains(*achieved)).count();
    assert!(right > CHANGES / 2, "{achieved:?}");
}

#[test]
fn what_is_left_over_is_lent_and_given_back() {
    let user = User::new();
    let long = Launcher::start(&user, &["--cores", "30", "--policy", "balance"], "medium");
    long.settles(&user, 999, 700, 1100);
    let other = Launcher::start(&user, &["--cores", "70", "--policy", "balance"], "medium");
    long.settles(&user, 300, 100, 450);
    other.settles(&user, 700, 400, 850);
    drop(other);
    long.settles(&user, 999, 700, 1100);
}

#[test]
fn a_low_priority_hardly_runs_beside_a_high_one() {
    let user = User::new();
    let low = Launcher::start(&user, &[], "medium");
    let high = Launcher::start(&user, &["--priority", "high"], "medium");
    // Without a limit, but paced, so that it can be taken back at once.
    low.settles(&user, 999, 0, 100);
    high.settles(&user, 999, 700, 1100);
    drop(high);
    low.settles(&user, 999, 700, 1100);
}

/// What it started goes on, and there is nobody who could begin to divide the GPUs for it.
#[test]
fn a_slice_whose_supervisor_was_killed_is_told_as_such() {
    let user = User::new();
    let launcher = Launcher::start(&user, &["--cores", "30"], "medium");
    launcher.settles(&user, 300, 200, 400);
    let slice = || user.find_slice(launcher.0.id()).unwrap_or(Value::Null);
    assert_eq!(slice()["supervised"], true);
    let pid = slice()["processes"][0]["pid"].as_i64().expect("a process");
    kill_process(Pid::from_child(&launcher.0), Signal::KILL).expect("it runs");
    eventually(|| slice()["supervised"] == false);
    let id = launcher.0.id().to_string();
    let output = user.vgpu(&["limits", &id, "--priority", "high"]).output().expect("it runs");
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0));
    assert!(warnings.contains("nobody divides the GPUs by policy and priority"), "{warnings}");
    assert!(warnings.contains("has ended; what it started goes on under the same limits"), "{warnings}");
    kill_process(Pid::from_raw(pid.try_into().expect("a pid")).expect("one"), Signal::KILL).expect("it runs");
    eventually(|| slice().is_null());
}

/// Waits until `condition` holds.
fn eventually(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "it never came");
    }
}
