//! How busy a GPU was with whom.

use super::canary::Canary;
use crate::machine::{Machine, Watch};
use crate::patience::eventually;
use crate::variable::number;
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is promised on average, in percent of the GPU.
const PROMISED: f64 = 1.0;
/// What a test allows on average on a machine that has nothing else to do.
const ALLOWED: f64 = 5.0;
/// The same on any machine, whose clock is no measure of the promise: less than a limit that nobody keeps.
const ALLOWED_ANYWHERE: f64 = 20.0;

/// The length of a window.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// How many windows may be tried for each one that is wanted, and before the first one.
const TRIES: usize = 6;

/// The part of a window that a thread may wait for a processor.
const STARVED: u32 = 4;

/// The part of one window's time, in percent, in which the GPU was busy with each tenant.
pub(super) type Window = Vec<f64>;

/// Looks at the first GPU of a machine.
pub(super) struct Judge {
    watch: Watch,
    canary: Canary,
    /// The process that plays the kernel driver.
    kernel: u32,
}

impl Judge {
    pub(super) fn new(machine: &Machine) -> Self {
        Self { watch: machine.watch(), canary: Canary::new(), kernel: machine.kernel() }
    }

    /// Waits until each of these processes has used the GPU, and then for so long.
    ///
    /// # Panics
    /// When one of them never does.
    pub(super) fn settle(&mut self, pids: &[u32], time: Duration) {
        eventually("work of every process", || {
            let truth = self.watch.truth();
            let has_begun = |pid| truth.get(&busy(pid)).is_some_and(|busy| *busy > 0);
            pids.iter().all(has_begun).then_some(())
        });
        std::thread::sleep(time);
    }

    /// So many windows in which the machine under the test had time for it, for these processes. None at all when there are not
    /// so many among six times as many, or not one among the first six: that is [inconclusive].
    pub(super) fn windows(&mut self, pids: &[u32], length: Duration, count: usize) -> Vec<Window> {
        enough(count, || self.window(pids, length)).unwrap_or_else(|why| {
            inconclusive(&why);
            Vec::new()
        })
    }

    /// What one process can use, in percent, when this machine has time for it. `None`: that is [inconclusive].
    pub(super) fn ceiling(&mut self, pid: u32) -> Option<f64> {
        self.windows(&[pid], WINDOW / 2, 1).first().map(|window| window[0])
    }

    /// One window; `None` where the machine overslept, or let a thread of the processes, or of the one through which they reach the
    /// GPU, wait for a processor for long.
    fn window(&mut self, pids: &[u32], length: Duration) -> Option<Window> {
        let watched: Vec<u32> = pids.iter().copied().chain([self.kernel]).collect();
        let (begin, before) = (Instant::now(), waits(&watched));
        let window = self.look(pids, length);
        let is_starved = |(thread, wait): (&PathBuf, &Duration)| {
            wait.saturating_sub(before.get(thread).copied().unwrap_or_default()) > length / STARVED
        };
        let had_time =
            !waits(&watched).iter().any(is_starved) && !self.canary.overslept(begin, Instant::now());
        had_time.then_some(window)
    }

    fn look(&mut self, pids: &[u32], length: Duration) -> Window {
        let before = self.busy(pids);
        std::thread::sleep(length);
        let after = self.busy(pids);
        let passed = share(after.0 - before.0);
        let used = before.1.iter().zip(&after.1).map(|(before, after)| share(after - before));
        used.map(|used| 100.0 * used / passed).collect()
    }

    /// An instant, and for how long until then the GPU was busy with each process, in nanoseconds.
    ///
    /// # Panics
    /// When one of them does not use the GPU, as it has ended or has not begun.
    fn busy(&mut self, pids: &[u32]) -> (u64, Vec<u64>) {
        let truth = self.watch.truth();
        let of = |pid| truth.get(&busy(pid)).copied();
        let busy = |pid| of(pid).unwrap_or_else(|| panic!("process {pid} has no context: {truth:?}"));
        (truth["now"], pids.iter().map(busy).collect())
    }
}

/// The name of the figure that says for how long the GPU was busy with a process.
fn busy(pid: &u32) -> String {
    format!("device.0.process.{pid}.busy")
}

/// For how long each thread of these processes was ready to run and did not, as far as this kernel tells.
fn waits(pids: &[u32]) -> BTreeMap<PathBuf, Duration> {
    let threads =
        pids.iter().flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task"))).flatten().flatten();
    let wait = |thread: DirEntry| {
        let told = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds = told.split_whitespace().nth(1)?.parse().ok()?;
        Some((thread.path(), Duration::from_nanos(nanoseconds)))
    };
    threads.filter_map(wait).collect()
}

/// A span of time for divisions.
#[expect(clippy::cast_precision_loss, reason = "spans of seconds, in nanoseconds")]
fn share(nanoseconds: u64) -> f64 {
    nanoseconds as f64
}

/// What `take` gives until it gave enough.
///
/// # Errors
/// A line for who runs the test: it gives nothing too often.
fn enough<T>(count: usize, mut take: impl FnMut() -> Option<T>) -> Result<Vec<T>, String> {
    let (mut taken, mut tried) = (Vec::new(), 0);
    while tried < if taken.is_empty() { TRIES } else { count * TRIES } {
        tried += 1;
        taken.extend(take());
        if taken.len() == count {
            return Ok(taken);
        }
    }
    Err(format!(
        "the machine that runs this test had no time for it in {} of {tried} windows, so that {} of {count} \
         are left; run the test again when it has less to do",
        tried - taken.len(),
        taken.len()
    ))
}

/// The mean of one tenant's windows.
fn mean(windows: &[Window], tenant: usize) -> f64 {
    let sum: f64 = windows.iter().map(|window| window[tenant]).sum();
    sum / share(windows.len() as u64)
}

/// Judges what a tenant used on average, and says it; or that it was not judged, as there are no windows.
///
/// # Panics
/// When it is not what was expected.
pub(super) fn holds(what: &str, windows: &[Window], tenant: usize, expected: f64) {
    if windows.is_empty() {
        return say(&format!("{what}: not judged"));
    }
    let mean = mean(windows, tenant);
    let worst = windows.iter().map(|window| (window[tenant] - expected).abs()).fold(0.0, f64::max);
    let verdict = if (mean - expected).abs() <= PROMISED { "within" } else { "beyond" };
    let line = format!(
        "{what}: {mean:.1} % of the GPU, expected {expected:.1} %, {verdict} {PROMISED} point; the worst of {} windows is \
         {worst:.1} off",
        windows.len()
    );
    say(&line);
    assert!((mean - expected).abs() <= allowed(), "{line}");
}

/// Whether the machine is said to have nothing else to do.
fn has_time() -> bool {
    number("VGPU_TEST_CONCLUSIVE", 0) != 0
}

/// How many percent of the GPU a mean may be off.
pub(super) fn allowed() -> f64 {
    if has_time() { ALLOWED } else { ALLOWED_ANYWHERE }
}

/// Nothing can be judged, which is said.
///
/// # Panics
/// Where `VGPU_TEST_CONCLUSIVE` is 1, as on a machine that has nothing else to do.
pub(super) fn inconclusive(why: &str) {
    assert!(!has_time(), "inconclusive: {why}");
    say(&format!("inconclusive: {why}"));
}

/// Past the harness, which shows what a passing test prints to nobody.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn too_few_windows_are_not_judged() {
    let mut windows = [Some(()), None].into_iter().chain(std::iter::repeat(None));
    let why = enough(2, || windows.next().flatten()).unwrap_err();
    assert!(why.contains("had no time for it in 11 of 12 windows"), "{why}");
    holds("what", &[], 0, 30.0);
}

#[test]
fn a_machine_that_has_no_time_at_all_is_not_asked_for_long() {
    let why = enough::<()>(4, || None).unwrap_err();
    assert!(why.contains("had no time for it in 6 of 6 windows, so that 0 of 4 are left"), "{why}");
}

#[test]
fn void_windows_are_tried_again() {
    let mut windows = [None, Some(1), None, None, Some(2)].into_iter();
    assert_eq!(enough(2, || windows.next().flatten()), Ok(vec![1, 2]));
}

#[test]
#[should_panic(
    expected = "what: 4.0 % of the GPU, expected 30.0 %, beyond 1 point; the worst of 2 windows is 28.0 off"
)]
fn a_tenant_that_gets_less_than_its_share_fails_as_one_does_that_gets_more() {
    holds("what", &[vec![100.0, 2.0], vec![0.0, 6.0]], 1, 30.0);
}
