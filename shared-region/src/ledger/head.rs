//! The word that decides: who changed the total last, and where he wrote down what it became.

/// Bits of a head that number a slot.
const SLOT_BITS: u32 = 10;

/// A process slot of the region, 0 to [`SlotId::COUNT`] − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(u16);

impl SlotId {
    /// Slots of a region.
    pub const COUNT: usize = 1 << SLOT_BITS;

    /// Slots that processes try together before any later one: as many as usually start at once.
    const GROUP: u64 = 64;

    /// The first slot.
    pub const ZERO: Self = Self(0);

    /// Slot number `index`, or `None` when a region has no such slot.
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().filter(|_| index < Self::COUNT).map(Self)
    }

    /// All slots in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..1 << SLOT_BITS).map(Self::wrapping)
    }

    /// All slots, low ones first, but each [`GROUP`](Self::GROUP) of them starting with its number `first` modulo its size.
    pub fn all_from(first: u32) -> impl Iterator<Item = Self> {
        let within = move |step: u64| (u64::from(first) + step) % Self::GROUP;
        (0..1 << SLOT_BITS).map(move |step| Self::wrapping(step / Self::GROUP * Self::GROUP + within(step)))
    }

    /// The slot whose number is the low bits of `number`.
    pub(crate) const fn wrapping(number: u64) -> Self {
        Self((number & ((1 << SLOT_BITS) - 1)) as u16)
    }

    /// The number, always below [`SlotId::COUNT`] (the mask lets the compiler see it).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize & (Self::COUNT - 1)
    }
}

/// One change of one device's total: its place in the order of all changes (52 bits, from 1; 0 = none yet), whether it writes off
/// what a dead process held, and which of the writer's two records describes it (the lowest bit).
///
/// At 50 million changes a second the numbers last for almost three years without a pause, so none is ever used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    /// Bits below the number.
    const FLAG_BITS: u32 = 2;
    const SECOND_RECORD: u64 = 1;
    const WRITES_OFF: u64 = 2;

    /// Which record of the writer's cell describes the change: `false` the first, `true` the second.
    pub(super) const fn second_record(self) -> bool {
        self.0 & Self::SECOND_RECORD != 0
    }

    /// Whether the change also takes back what the slot held that its writer has named.
    pub(super) const fn writes_off(self) -> bool {
        self.0 & Self::WRITES_OFF != 0
    }

    /// This change, as one that writes off.
    pub(super) const fn writing_off(self) -> Self {
        Self(self.0 | Self::WRITES_OFF)
    }

    /// The stamp of the change right after this one, described by the other record than `previous`.
    const fn next_beside(self, previous: Self) -> Self {
        let number = (self.0 >> Self::FLAG_BITS) + 1;
        Self(number << Self::FLAG_BITS | (previous.0 & Self::SECOND_RECORD ^ Self::SECOND_RECORD))
    }
}

/// The latest change and its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) stamp: Stamp,
    pub(super) slot: SlotId,
}

impl Head {
    pub(super) const fn unpack(word: u64) -> Self {
        Self { stamp: Stamp(word >> SLOT_BITS), slot: SlotId::wrapping(word) }
    }

    pub(super) const fn pack(self) -> u64 {
        self.stamp.0 << SLOT_BITS | self.slot.0 as u64
    }

    /// The head after a change by `slot`, whose previous change is `previous`.
    pub(super) const fn next(self, slot: SlotId, previous: Stamp) -> Self {
        Self { stamp: self.stamp.next_beside(previous), slot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_memory_is_a_head_before_the_first_change() {
        let head = Head::unpack(0);
        assert_eq!(head, Head { stamp: Stamp(0), slot: SlotId(0) });
        assert!(!head.stamp.second_record());
    }

    #[test]
    fn packing_is_reversible() {
        for word in [0, 1, 1023, 1024, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(Head::unpack(word).pack(), word);
        }
    }

    #[test]
    fn the_next_change_is_later_and_in_the_other_record() {
        let head = Head { stamp: Stamp(41), slot: SlotId(7) };
        for previous in [Stamp(3), Stamp(4)] {
            let next = head.next(SlotId(9), previous);
            assert!(next.stamp > head.stamp);
            assert_ne!(next.stamp.second_record(), previous.second_record());
            assert_eq!(next.slot, SlotId(9));
            assert!(!next.stamp.writes_off() && next.stamp.writing_off().writes_off());
            assert!(next.next(SlotId(7), head.stamp).stamp > next.stamp.writing_off());
        }
    }

    #[test]
    fn slots_are_numbered_once_each_from_any_start() {
        for start in [0, 1, 1023, 4_000_000_000] {
            let mut seen: Vec<_> = SlotId::all_from(start).map(SlotId::index).collect();
            assert_eq!(seen.first().copied(), Some(start as usize % 64));
            assert!(seen.iter().take(64).all(|&index| index < 64), "low ones first");
            seen.sort_unstable();
            assert_eq!(seen, (0..SlotId::COUNT).collect::<Vec<_>>());
        }
        assert_eq!(SlotId::new(1024), None);
        assert_eq!(SlotId::new(1023).map(SlotId::index), Some(1023));
    }
}
