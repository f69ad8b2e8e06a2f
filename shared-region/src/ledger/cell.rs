//! What one slot holds of one device.

use super::head::{Head, SlotId, Stamp};
use crate::sync::{AtomicU64, Ordering};

/// One cache line: what one slot holds of one device, and the statistics beside it. All zero = never used.
///
/// Only the slot's owner writes here (or who reaps a dead owner), except that anyone may move `settled` forward to a
/// change that has happened.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Cell {
    /// [`Stamp`] of the owner's latest change that is noted to have happened; the head may know of a later one.
    settled: AtomicU64,
    /// The latest change and, at times, the next one in preparation.
    records: [Record; 2],
    /// Statistics, each a plain number that only the owner writes.
    pub(crate) stats: Stats,
}

/// What a change makes of the owner's usage and of the device's total, in bytes.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Record {
    used: AtomicU64,
    total: AtomicU64,
}

/// Statistics of one slot and device. They decide nothing.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Stats {
    /// Largest usage of this owner, in bytes.
    pub(crate) peak: AtomicU64,
    /// Part of the usage that is contexts and the like, in bytes.
    pub(crate) overhead: AtomicU64,
    /// Requests refused.
    pub(crate) refused: AtomicU64,
}

impl Cell {
    /// Notes that the owner's change `change`, which was seen in the head, has happened. Harmless when that is known already.
    pub(super) fn settle(&self, change: Stamp) {
        let known = self.settled();
        if known < change {
            // A failure means that somebody else has noted this change or a later one.
            let _ = self.settled.compare_exchange(known.0, change.0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// The latest change of this cell, which is that of `slot`, when the head is `head`.
    pub(super) fn latest(&self, slot: SlotId, head: Head) -> Stamp {
        if head.slot == slot { head.stamp } else { self.settled() }
    }

    fn settled(&self) -> Stamp {
        Stamp(self.settled.load(Ordering::Acquire))
    }

    /// The record that describes the owner's change `change`.
    pub(super) fn record(&self, change: Stamp) -> &Record {
        let [first, second] = &self.records;
        if change.second_record() { second } else { first }
    }
}

impl Record {
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Acquire)
    }

    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Acquire)
    }

    /// Release, so that a reader who was too slow and meets these values also sees that the head has moved on.
    pub(super) fn write(&self, used: u64, total: u64) {
        self.used.store(used, Ordering::Release);
        self.total.store(total, Ordering::Release);
    }
}
