//! How densely the launches of each stream are measured.

use core::sync::atomic::{AtomicU64, Ordering};

use super::StreamId;
use super::ways::Ways;

/// Sets of four streams: 16 KiB.
const SETS: usize = 256;

/// Marks a word whose stream is dense; the rest is its birth.
const DENSE: u64 = 1;

/// Tells a stream from others that were or will be called the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Birth(u64);

/// What the meter says to those who launch.
pub(super) struct Modes {
    streams: Ways,
    births: AtomicU64,
    /// How often streams were forgotten.
    forgotten: AtomicU64,
}

impl Default for Modes {
    fn default() -> Self {
        Self { streams: Ways::new(SETS), births: AtomicU64::new(1), forgotten: AtomicU64::new(0) }
    }
}

impl Modes {
    /// Which stream `stream` is now, and whether launches in it are back to back.
    pub(super) fn of(&self, stream: StreamId) -> (Birth, bool) {
        let word = self.streams.get(stream.key()).unwrap_or_else(|| {
            let newborn = self.births.fetch_add(1, Ordering::Relaxed) << 1;
            self.streams.change(stream.key(), |word| (Some(word.unwrap_or(newborn)), word.unwrap_or(newborn)))
        });
        (Birth(word >> 1), word & DENSE != 0)
    }

    /// Notes whether launches in `stream` are back to back, if there is still such a stream.
    pub(super) fn note(&self, stream: StreamId, is_dense: bool) {
        let mark = if is_dense { DENSE } else { 0 };
        self.streams.change(stream.key(), |word| (word.map(|word| word & !DENSE | mark), ()));
    }

    /// Whether `stream` is still the one that was born then.
    pub(super) fn is(&self, stream: StreamId, birth: Birth) -> bool {
        self.streams.get(stream.key()).is_some_and(|word| word >> 1 == birth.0)
    }

    /// How often streams were forgotten so far: while that stays the same, all are who they were.
    #[inline]
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::Acquire)
    }

    /// `stream` is about to go.
    pub(super) fn forget(&self, stream: StreamId) {
        self.streams.change(stream.key(), |_| (None, ()));
        self.forgotten.fetch_add(1, Ordering::Release);
    }

    /// All streams of some context are about to go. The others' have to show anew that they are dense.
    pub(super) fn forget_all(&self) {
        self.streams.clear();
        self.forgotten.fetch_add(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContextId;

    const STREAM: StreamId = StreamId { context: ContextId(1), stream: 0 };

    #[test]
    fn a_stream_begins_fine_and_is_what_it_was_noted_to_be() {
        let modes = Modes::default();
        let (birth, is_dense) = modes.of(STREAM);
        assert!(!is_dense);
        modes.note(STREAM, true);
        assert_eq!(modes.of(STREAM), (birth, true));
        modes.note(STREAM, false);
        assert_eq!(modes.of(STREAM), (birth, false));
    }

    #[test]
    fn a_stream_that_is_called_as_one_before_is_another() {
        let modes = Modes::default();
        let (birth, _) = modes.of(STREAM);
        modes.note(STREAM, true);
        let forgotten = modes.forgotten();
        modes.forget(STREAM);
        assert!(!modes.is(STREAM, birth) && modes.forgotten() != forgotten);
        modes.note(STREAM, true);
        let (next, is_dense) = modes.of(STREAM);
        assert!(next != birth && !is_dense);
        modes.forget_all();
        assert!(!modes.is(STREAM, next));
    }
}
