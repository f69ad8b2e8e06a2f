//! Who may use the machine that the tests run on: those that measure by the clock have it for themselves.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Who runs at the moment.
struct Runners {
    /// Tests that do not measure.
    ordinary: usize,
    /// What those that do measure keep busy, in processors.
    measuring: usize,
}

static RUNNERS: Mutex<Runners> = Mutex::new(Runners { ordinary: 0, measuring: 0 });
static CHANGED: Condvar = Condvar::new();

/// This thread's test runs a program: not while another one measures.
pub(crate) fn share() {
    OWN.with(|own| {
        if own.part.get() == Part::None {
            let mut runners = wait(runners(), |runners| runners.measuring == 0);
            runners.ordinary += 1;
            own.part.set(Part::Ordinary);
        }
    });
}

/// This thread's test measures, with programs that keep so many processors busy, from now on to its end: not while one runs
/// that does not, nor with more than the machine has.
pub(crate) fn measure(processors: usize) {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    OWN.with(|own| {
        own.leave();
        let may = |runners: &Runners| {
            runners.ordinary == 0 && (runners.measuring == 0 || runners.measuring + processors <= most)
        };
        wait(runners(), may).measuring += processors;
        own.part.set(Part::Measuring(processors));
    });
}

/// What a thread's test counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    None,
    Ordinary,
    Measuring(usize),
}

/// Ends with the thread, and so with the test.
struct Own {
    part: Cell<Part>,
}

thread_local! {
    static OWN: Own = const { Own { part: Cell::new(Part::None) } };
}

impl Own {
    fn leave(&self) {
        match self.part.replace(Part::None) {
            Part::None => return,
            Part::Ordinary => runners().ordinary -= 1,
            Part::Measuring(processors) => runners().measuring -= processors,
        }
        CHANGED.notify_all();
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.leave();
    }
}

fn runners() -> MutexGuard<'static, Runners> {
    RUNNERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(
    runners: MutexGuard<'static, Runners>,
    may: impl Fn(&Runners) -> bool,
) -> MutexGuard<'static, Runners> {
    CHANGED.wait_while(runners, |runners| !may(runners)).unwrap_or_else(PoisonError::into_inner)
}
