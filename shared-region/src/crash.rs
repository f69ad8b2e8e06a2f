//! Death between any two writes to shared memory, as a test sees it.

use core::sync::atomic::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

#[cfg(not(loom))]
use core::sync::atomic::AtomicU64 as Word;
#[cfg(loom)]
use loom::sync::atomic::AtomicU64 as Word;

#[cfg(loom)]
use loom::thread_local;

use core::cell::Cell;

thread_local! {
    /// Writes that this thread may still do before it dies; `None` = lives on.
    static WRITES_LEFT: Cell<Option<usize>> = Cell::default();
}

/// What travels up the stack of a thread that dies. Nothing in the crate catches it.
struct Killed;

/// Runs `work` as a process that dies just before its write number `writes` (from 0) to shared memory.
///
/// `None` when it died; what it had written stays written.
pub fn dying_before_write<T>(writes: usize, work: impl FnOnce() -> T) -> Option<T> {
    WRITES_LEFT.with(|left| left.set(Some(writes)));
    let result = catch_unwind(AssertUnwindSafe(work));
    WRITES_LEFT.with(|left| left.set(None));
    match result {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Killed>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Every write to shared memory comes here first.
fn point() {
    let dies = WRITES_LEFT.with(|left| match left.get() {
        Some(0) => true,
        Some(writes) => {
            left.set(Some(writes - 1));
            false
        }
        None => false,
    });
    if dies {
        // Unlike `panic!`, this prints nothing.
        resume_unwind(Box::new(Killed));
    }
}

/// The subset of an atomic 64-bit word that the crate uses, with a point of death before each write.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), repr(transparent))]
pub struct AtomicU64 {
    word: Word,
    #[cfg(loom)]
    turn: Turn,
}

/// Makes loom take turns at every access to a word.
///
/// By itself it tries a thread's load before and after another's write only if that other thread has not just loaded the same
/// word, too (it remembers one latest access for each word, and two loads do not depend on each other): load-then-exchange is not
/// explored. Exchanges always depend on each other; relaxed ones on a word of its own add no order between threads.
#[cfg(loom)]
#[derive(Debug, Default)]
struct Turn(Word);

#[cfg(loom)]
impl Turn {
    fn wait(&self) {
        self.0.fetch_add(0, Ordering::Relaxed);
    }
}

impl AtomicU64 {
    fn read(&self) -> &Word {
        #[cfg(loom)]
        self.turn.wait();
        &self.word
    }

    fn write(&self) -> &Word {
        point();
        self.read()
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.read().load(order)
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        self.write().store(value, order);
    }

    pub(crate) fn fetch_max(&self, value: u64, order: Ordering) -> u64 {
        self.write().fetch_max(value, order)
    }

    pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.write().fetch_add(value, order)
    }

    pub(crate) fn fetch_sub(&self, value: u64, order: Ordering) -> u64 {
        self.write().fetch_sub(value, order)
    }

    pub(crate) fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.write().compare_exchange(current, new, success, failure)
    }
}
