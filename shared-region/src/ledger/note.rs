//! What a cell knows of its slot's latest change while the head names another slot.

use super::head::Stamp;
use crate::sync::{AtomicU64, Ordering};

/// A change of a slot's usage that has happened: the owner's own, or one by which another process wrote the usage off.
///
/// In the order of the changes, since a stamp's number is in its upper bits. All zero = none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note(pub(super) u64);

impl Note {
    /// The lowest bit: the slot holds nothing, whatever its records say.
    const VOID: u64 = 1;

    /// The owner's change `change`, which his record describes.
    pub(super) const fn of(change: Stamp) -> Self {
        Self(change.0 << 1)
    }

    /// Nothing is held any more, by another slot's change `change`.
    pub(super) const fn void(change: Stamp) -> Self {
        Self(change.0 << 1 | Self::VOID)
    }

    /// Whether nothing is held.
    pub(super) const fn is_void(self) -> bool {
        self.0 & Self::VOID != 0
    }

    pub(super) const fn stamp(self) -> Stamp {
        Stamp(self.0 >> 1)
    }
}

/// The latest [`Note`]. Anyone may move it forward to a change that has happened.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct NoteWord(AtomicU64);

impl NoteWord {
    pub(super) fn load(&self) -> Note {
        Note(self.0.load(Ordering::Acquire))
    }

    /// Moves the note forward to `note`. Harmless when that or something later is known already.
    pub(super) fn advance(&self, note: Note) {
        let known = self.load();
        if known < note {
            // A failure means that somebody else has noted this change or a later one.
            let _ = self.0.compare_exchange(known.0, note.0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}
