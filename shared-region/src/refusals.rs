//! What was refused on a device: how often, of which class and size, and what last. Statistics, written when a request is
//! refused; they decide nothing.

use contract::Bytes;

use crate::class::MemoryClass;
use crate::sync::{AtomicU64, Ordering};

/// A request that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of memory was asked for.
    pub class: MemoryClass,
    /// How much.
    pub bytes: Bytes,
    /// When, in nanoseconds since 1970.
    pub at: u64,
}

/// A range of sizes: all from a power of two to before the next, but for the first and the last, which are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeRange(u32);

impl SizeRange {
    /// Ranges that are told apart: below 128 KiB, from there to 256 KiB, and so on; the last begins at 128 TiB.
    pub const COUNT: usize = Self::LAST as usize + 1;
    const LAST: u32 = 31;
    /// The range *n* begins at 2 to the power of this plus *n*.
    const POWER: u32 = 16;

    /// The range of `bytes`.
    #[must_use]
    pub fn of(bytes: Bytes) -> Self {
        let power = bytes.0.checked_ilog2().unwrap_or(0);
        Self(power.saturating_sub(Self::POWER).min(Self::LAST))
    }

    /// All ranges in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=Self::LAST).map(Self)
    }

    /// The smallest size in it.
    #[must_use]
    pub const fn least(self) -> Bytes {
        Bytes(if self.0 == 0 { 0 } else { 1 << (Self::POWER + self.0) })
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Classes that there is room for.
pub(crate) const CLASSES: usize = 15;

/// What was refused on one device to all processes, also to those that are gone. One page.
#[derive(Debug, Default)]
#[repr(C, align(4096))]
pub(crate) struct Refusals {
    last: LastRefusal,
    reserved: [AtomicU64; 28],
    /// Requests refused, by class, then by size.
    counts: [[AtomicU64; SizeRange::COUNT]; CLASSES],
}

/// The latest refusal, or a mixture of two that came at the same time; and the largest.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct LastRefusal {
    /// In nanoseconds since 1970; 0 = never.
    at: AtomicU64,
    bytes: AtomicU64,
    class: AtomicU64,
    largest: AtomicU64,
}

impl Refusals {
    /// Counts a refusal.
    pub(crate) fn count(&self, refusal: Refusal) {
        let sizes = self.counts.get(refusal.class.index());
        if let Some(count) = sizes.and_then(|sizes| sizes.get(SizeRange::of(refusal.bytes).index())) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.last.note(refusal);
    }
}

impl LastRefusal {
    pub(crate) fn note(&self, Refusal { class, bytes, at }: Refusal) {
        self.at.store(at, Ordering::Relaxed);
        self.bytes.store(bytes.0, Ordering::Relaxed);
        self.class.store(class.index() as u64, Ordering::Relaxed);
        if bytes.0 > self.largest.load(Ordering::Relaxed) {
            self.largest.fetch_max(bytes.0, Ordering::Relaxed);
        }
    }

    pub(crate) fn clear(&self) {
        for word in [&self.at, &self.bytes, &self.class, &self.largest] {
            word.store(0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_in_the_range_that_begins_at_or_before_it() {
        const KIB: u64 = 1 << 10;
        let table = [
            (0, 0),
            (128 * KIB - 1, 0),
            (128 * KIB, 1),
            (256 * KIB - 1, 1),
            (256 * KIB, 2),
            ((128 << 40) - 1, 30),
            (128 << 40, 31),
            (u64::MAX, 31),
        ];
        for (bytes, range) in table {
            let found = SizeRange::of(Bytes(bytes));
            assert_eq!(found.index(), range, "{bytes}");
            assert!(found.least().0 <= bytes);
        }
        let starts: Vec<_> = SizeRange::all().map(SizeRange::least).collect();
        assert_eq!(
            (starts.len(), starts[1], starts[31]),
            (SizeRange::COUNT, Bytes(128 * KIB), Bytes(128 << 40))
        );
        assert!(starts.iter().all(|start| SizeRange::of(*start).least() == *start));
    }
}
