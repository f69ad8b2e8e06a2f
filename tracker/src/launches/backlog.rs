//! How much was left for who polls and has not been dealt with.
//!
//! Who launches can be faster than who measures, and where no thread can be started nobody measures at all. What is left then
//! must not grow without end: each piece is an event or two of the driver's, and memory.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// With so many pieces left, no more are begun. A driver takes about a thousand launches into a stream before it lets launches
/// wait, and most programs have few streams.
const MAX: usize = 4096;

/// With so many left does who polls come sooner than he meant to.
pub(super) const MUCH: usize = 1024;

/// So many events that measure nothing are left before somebody comes for them alone.
pub(super) const STRAY: usize = 64;

/// Pieces of work that are to be measured, and events that measure nothing.
#[derive(Debug, Default)]
pub(super) struct Backlog(AtomicUsize);

impl Backlog {
    /// One more is left. How many are, with it.
    pub(super) fn add(&self) -> usize {
        self.0.fetch_add(1, Relaxed) + 1
    }

    /// So many have been dealt with.
    pub(super) fn remove(&self, count: usize) {
        self.0.fetch_sub(count, Relaxed);
    }

    /// Whether nothing more should be left: launches cost what they are expected to until this has changed.
    pub(super) fn is_full(&self) -> bool {
        self.0.load(Relaxed) >= MAX
    }
}
