//! What one slot holds of one device.

use super::head::{Head, SlotId, Stamp};
use super::note::{Note, NoteWord};
use crate::sync::{AtomicU64, Ordering};

/// One cache line: what one slot holds of one device, and the statistics beside it. All zero = never used.
///
/// Only the slot's owner writes here (or who reaps a dead owner), except that anyone may move `settled` forward to a
/// change that has happened.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Cell {
    /// The latest change that is noted to have happened; the head may know of a later one.
    settled: NoteWord,
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
    /// Notes that the owner's change `change`, which was seen in the head, has happened.
    pub(super) fn settle(&self, change: Stamp) {
        self.settled.advance(Note::of(change));
    }

    /// Notes that `change`, which was seen in the head, has written off what this cell's owner held.
    pub(super) fn void(&self, change: Stamp) {
        self.settled.advance(Note::void(change));
    }

    /// The latest change of this cell, which is that of `slot`, when the head is `head`.
    pub(super) fn latest(&self, slot: SlotId, head: Head) -> Note {
        if head.slot == slot { Note::of(head.stamp) } else { self.settled.load() }
    }

    /// What the owner holds by `latest`, in bytes.
    pub(super) fn used(&self, latest: Note) -> u64 {
        if latest.is_void() { 0 } else { self.record(latest.stamp()).used.load(Ordering::Acquire) }
    }

    /// The record that describes the owner's change `change`.
    pub(super) fn record(&self, change: Stamp) -> &Record {
        let [first, second] = &self.records;
        if change.second_record() { second } else { first }
    }
}

impl Record {
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Acquire)
    }

    /// Release, so that a reader who was too slow and meets these values also sees that the head has moved on.
    pub(super) fn write(&self, used: u64, total: u64) {
        self.used.store(used, Ordering::Release);
        self.total.store(total, Ordering::Release);
    }
}
