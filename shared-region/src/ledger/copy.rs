//! The ledger as a reader outside sees it: in copies of its words, which may be rubbish.

use super::SlotId;
use super::head::{Head, Stamp};
use super::note::Note;

/// A copy of a device's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadCopy(Head);

impl HeadCopy {
    /// The head that `word` was.
    pub(crate) const fn from_word(word: u64) -> Self {
        Self(Head::unpack(word))
    }

    /// The slot in whose cell the total is.
    pub(crate) const fn slot(self) -> SlotId {
        self.0.slot
    }

    /// Whether what another slot held was written off by the latest change.
    pub(crate) const fn writes_off(self) -> bool {
        self.0.stamp.writes_off()
    }
}

/// A copy of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellCopy {
    settled: Note,
    /// Usage and total.
    records: [(u64, u64); 2],
    pub(crate) peak: u64,
    pub(crate) overhead: u64,
    pub(crate) refused: u64,
}

impl CellCopy {
    /// The cell whose words, in order, were `words`.
    pub(crate) const fn from_words(words: [u64; 8]) -> Self {
        let [settled, used, total, other_used, other_total, peak, overhead, refused] = words;
        let records = [(used, total), (other_used, other_total)];
        Self { settled: Note(settled), records, peak, overhead, refused }
    }

    /// What the owner, in `slot`, holds in bytes. `head` is from before the copy of the cell.
    pub(crate) fn used(&self, slot: SlotId, head: HeadCopy) -> u64 {
        let named = if head.0.slot == slot { Note::of(head.0.stamp) } else { self.settled };
        let latest = named.max(self.settled);
        if latest.is_void() { 0 } else { self.record(latest.stamp()).0 }
    }

    /// The device's total in bytes. `head` names this cell and was the same before and after the copy.
    pub(crate) const fn total(&self, head: HeadCopy) -> u64 {
        self.record(head.0.stamp).1
    }

    const fn record(&self, change: Stamp) -> (u64, u64) {
        let [first, second] = self.records;
        if change.second_record() { second } else { first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_only_the_head_knows_counts() {
        let slot = SlotId::ZERO;
        let cell = CellCopy::from_words([Note::of(Stamp(4)).0, 10, 100, 30, 120, 1, 2, 3]);
        let head_of = |stamp: u64, slot: u64| HeadCopy::from_word(stamp << 10 | slot);
        assert_eq!(cell.used(slot, head_of(7, 0)), 30);
        assert_eq!(cell.total(head_of(7, 0)), 120);
        assert_eq!(cell.used(slot, head_of(7, 1)), 10, "another slot's change");
        assert_eq!(cell.used(slot, head_of(3, 0)), 10, "an older head");
        let written_off = CellCopy { settled: Note::void(Stamp(6)), ..cell };
        assert_eq!(written_off.used(slot, head_of(7, 1)), 0, "written off");
        assert_eq!(written_off.used(slot, head_of(9, 0)), 30, "the next owner's change");
        assert_eq!((cell.peak, cell.overhead, cell.refused), (1, 2, 3));
    }
}
