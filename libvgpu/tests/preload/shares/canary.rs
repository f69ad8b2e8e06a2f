//! Whether the machine that the tests run on does what it is told when it is told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long it sleeps at a time.
const NAP: Duration = Duration::from_millis(1);
/// By how much it may be late.
const LATE: Duration = Duration::from_millis(2);

/// A thread that sleeps, and notes when it was woken too late.
pub(super) struct Canary {
    watched: Arc<Watched>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Watched {
    is_over: AtomicBool,
    /// From when it should have been awake until it was.
    overslept: Mutex<Vec<(Instant, Instant)>>,
}

impl Canary {
    pub(super) fn new() -> Self {
        let watched = Arc::<Watched>::default();
        let its = Arc::clone(&watched);
        Self { watched, thread: Some(std::thread::spawn(move || its.watch())) }
    }

    /// Whether the machine overslept between two instants.
    pub(super) fn overslept(&self, from: Instant, to: Instant) -> bool {
        let all = self.watched.overslept.lock().unwrap();
        all.iter().any(|(due, woken)| *due < to && *woken > from)
    }
}

impl Watched {
    fn watch(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let due = Instant::now() + NAP;
            std::thread::sleep(NAP);
            let woken = Instant::now();
            if woken > due + LATE {
                self.overslept.lock().unwrap().push((due, woken));
            }
        }
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.watched.is_over.store(true, Ordering::Relaxed);
        // It has nothing to fail at.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[test]
fn a_moment_in_which_nothing_was_late_is_known_from_one_that_was() {
    let begin = Instant::now();
    let canary = Canary::new();
    canary.watched.overslept.lock().unwrap().push((begin + NAP * 10, begin + NAP * 20));
    let is_void = |from: u32, to: u32| canary.overslept(begin + NAP * from, begin + NAP * to);
    assert!(is_void(5, 15) && is_void(15, 16) && is_void(19, 40) && is_void(0, 40));
}
