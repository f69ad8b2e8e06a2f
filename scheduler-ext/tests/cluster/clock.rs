//! The clock of the extender, and of nobody else: Debian's libfaketime, preloaded into it, adds to the time of day what a file says.
//! How long something takes is as it was.

use std::path::Path;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube_harness::product::process;
use kube_harness::product::{chart, image};
use kube_harness::{kubectl, wait_until};
use serde_json::{Value, json};

use crate::site::{Container, Replica, describe};

/// Where `ci/setup` installs it.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
/// The one place in its container in which a file can be made, and only from outside.
const FILE: &str = "/dev/shm/clock";
/// What is said each second, with the time.
pub(crate) const LOG_LEVEL: &str = "info,kube_client=debug";
/// More than it takes to say something and to hear it.
const NEARLY: SignedDuration = SignedDuration::from_secs(60);

/// The library, as a file of this machine.
pub(crate) fn library() -> &'static Path {
    let library = Path::new(LIBRARY);
    assert!(library.exists(), "{LIBRARY} is not there: ci/setup");
    library
}

/// The variables of a program whose clock can be moved.
pub(crate) fn variables() -> Value {
    let name = library().file_name().expect("a file").to_string_lossy();
    let variable = |name: &str, value: &str| json!({"name": name, "value": value});
    json!([
        variable("LD_PRELOAD", &format!("{}/{name}", image::LIBRARIES)),
        variable("FAKETIME_TIMESTAMP_FILE", FILE),
        variable("FAKETIME_CACHE_DURATION", "1"),
        variable("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ])
}

/// Moves the clock of a replica's extender to so many minutes from the right time, and returns when it has said something at that
/// time.
pub(crate) fn set(replica: &Replica, minutes: i64) {
    let pids = process::on(&replica.node, Container::Extender.command());
    let [pid] = pids[..] else { panic!("{pids:?} are extenders on {}", replica.node) };
    let file = format!("/proc/{}/root{FILE}", pid.as_raw_pid());
    std::fs::write(&file, format!("{minutes:+}m")).unwrap_or_else(|error| panic!("{file}: {error}"));
    let offset = SignedDuration::from_mins(minutes);
    let is_there = || {
        let away = last_said(replica)?.duration_since(Timestamp::now()) - offset;
        (away.abs() < NEARLY).then_some(())
    };
    wait_until("the extender's clock is moved", is_there, describe);
}

/// When the extender of a replica said something last, by its own clock.
fn last_said(replica: &Replica) -> Option<Timestamp> {
    let system = ["--namespace", chart::SYSTEM];
    let said =
        kubectl(&[&system[..], &["logs", &replica.name, "--container=extender", "--tail=1"]].concat(), "");
    said.ok()?.split_whitespace().next()?.parse().ok()
}
