//! Every way to launch is held to the share. How long that takes at least can be told, however slow the machine of the test.

use super::canary::Canary;
use super::tenant::in_slice;
use crate::machine::{BRANCHES, Machine};
use crate::run::Run;
use std::time::Instant;

/// So many launches of 2 ms.
const LAUNCHES: u64 = 80;

/// What a slice does at once after it was idle, and what has begun when the last launch is made.
const AHEAD_MS: u64 = 40;

/// The same where the machine under the test was late: launches in the middle of which their host was stopped are held to have waited
/// for it. A path that nothing holds would take a tenth, not a half.
const AHEAD_WHEN_LATE_MS: u64 = LAUNCHES;

/// Milliseconds that the launches take by `path`, on two devices of which a slice has 10 percent each.
fn limited(branch: &'static str, path: &str) -> u64 {
    let machine = Machine::with(branch, 2);
    let run = machine.on(Run::preloaded(machine.program("launches.c")));
    let run = run.arg(path).arg(LAUNCHES.to_string()).arg("2000");
    in_slice(&machine, run, "region", 10).output().trim().parse().unwrap()
}

#[track_caller]
fn takes_ten_times_as_long(branch: &'static str, path: &str) {
    let (begin, canary) = (Instant::now(), Canary::new());
    let (took, gpu) = (limited(branch, path), 2 * LAUNCHES);
    let was_late = canary.overslept(begin, Instant::now());
    let ahead = if was_late { AHEAD_WHEN_LATE_MS } else { AHEAD_MS };
    assert!(took >= 10 * (gpu - ahead), "{branch}, {path}: {gpu} ms of GPU time in {took} ms");
}

#[test]
fn with_every_driver() {
    for branch in BRANCHES {
        takes_ten_times_as_long(branch, "kernel");
    }
}

macro_rules! paths {
    ($($path:ident)*) => { $(
        #[test]
        fn $path() {
            takes_ten_times_as_long("550", stringify!($path));
        }
    )* };
}

paths! {
    kernel kernel_ptsz default config config_ptsz cooperative cooperative_ptsz together alone grid grid_in_stream graph
    graph_ptsz updated_graph changed_node
}
