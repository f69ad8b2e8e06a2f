//! What was refused, as a reader outside sees it.

use contract::Bytes;

use crate::class::MemoryClass;
use crate::refusals::{CLASSES, SizeRange};

/// What was refused on a device to all processes, also to those that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusalSummary {
    /// How often, by class and size; none that is zero.
    pub counts: Vec<RefusalCount>,
    /// The latest; `None` if there was none.
    pub last: Option<LastRefusal>,
    /// The largest request refused.
    pub largest: Bytes,
}

/// Requests refused of one class and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalCount {
    /// The class of memory.
    pub class: MemoryClass,
    /// The range of sizes.
    pub size: SizeRange,
    /// How many.
    pub count: u64,
}

/// The latest refusal, or a mixture of two that came at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRefusal {
    /// When, in nanoseconds since 1970.
    pub at: u64,
    /// How much was asked for.
    pub bytes: Bytes,
    /// What kind of memory; `None` if what is written there is none.
    pub class: Option<MemoryClass>,
}

impl RefusalSummary {
    /// How often in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, entry| sum.saturating_add(entry.count))
    }

    /// The summary of a device's page of words.
    pub(super) fn from_words(words: &[u64]) -> Self {
        let (head, table) = words.split_at_checked(HEAD_WORDS).unwrap_or_default();
        let (last, largest) = match *head {
            [at, bytes, class, largest, ..] => last_and_largest([at, bytes, class, largest]),
            _ => (None, Bytes::ZERO),
        };
        let mut counts = Vec::new();
        for (class, sizes) in MemoryClass::ALL.into_iter().zip(table.chunks(SizeRange::COUNT)) {
            for (size, &count) in SizeRange::all().zip(sizes).filter(|(_, count)| **count != 0) {
                counts.push(RefusalCount { class, size, count });
            }
        }
        Self { counts, last, largest }
    }
}

/// Words before a page's counts.
const HEAD_WORDS: usize = 32;
/// Words of a device's page.
pub(super) const WORDS: usize = HEAD_WORDS + CLASSES * SizeRange::COUNT;

/// The latest refusal, if there was one, and the size of the largest.
pub(super) fn last_and_largest([at, bytes, class, largest]: [u64; 4]) -> (Option<LastRefusal>, Bytes) {
    let last = LastRefusal { at, bytes: Bytes(bytes), class: MemoryClass::new(class) };
    (Some(last).filter(|last| last.at != 0), Bytes(largest))
}
