//! Which parts of a range of addresses are free.

use std::collections::BTreeMap;
use std::ops::Range;

/// Free parts of a range: the lowest that fits is given first, so addresses are reused as soon as they can be.
#[derive(Debug)]
pub(crate) struct Extents {
    /// Start and length of each free part; no two touch.
    free: BTreeMap<u64, u64>,
}

impl Extents {
    /// All of `range` free.
    pub(crate) fn new(range: Range<u64>) -> Self {
        Self { free: BTreeMap::from([(range.start, range.end - range.start)]) }
    }

    /// Takes the lowest `length` addresses that start at a multiple of `alignment` (a power of two).
    pub(crate) fn take(&mut self, length: u64, alignment: u64) -> Option<u64> {
        let fit = |(&start, &free): (&u64, &u64)| {
            let aligned = start.checked_next_multiple_of(alignment)?;
            let skipped = aligned - start;
            (free.checked_sub(skipped)? >= length).then_some((start, free, aligned))
        };
        let (start, free, aligned) = self.free.iter().find_map(fit)?;
        self.free.remove(&start);
        let skipped = aligned - start;
        if skipped > 0 {
            self.free.insert(start, skipped);
        }
        let rest = free - skipped - length;
        if rest > 0 {
            self.free.insert(aligned + length, rest);
        }
        Some(aligned)
    }

    /// Takes `length` addresses from `start` if they are free.
    pub(crate) fn take_at(&mut self, start: u64, length: u64) -> bool {
        let Some((&free_start, &free)) = self.free.range(..=start).next_back() else { return false };
        let skipped = start - free_start;
        let Some(rest) = free.checked_sub(skipped).and_then(|free| free.checked_sub(length)) else {
            return false;
        };
        self.free.remove(&free_start);
        for (start, length) in [(free_start, skipped), (start + length, rest)] {
            if length > 0 {
                self.free.insert(start, length);
            }
        }
        true
    }

    /// Gives back what `take` gave.
    pub(crate) fn give(&mut self, start: u64, length: u64) {
        let mut joined = start..start + length;
        if let Some((&before, &free)) = self.free.range(..start).next_back()
            && before + free == start
        {
            self.free.remove(&before);
            joined.start = before;
        }
        if let Some(free) = self.free.remove(&joined.end) {
            joined.end += free;
        }
        self.free.insert(joined.start, joined.end - joined.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_addresses_are_reused_first() {
        let mut extents = Extents::new(0x1000..0x9000);
        let [a, b, c] = [(); 3].map(|()| extents.take(0x1000, 0x1000).unwrap());
        assert_eq!([a, b, c], [0x1000, 0x2000, 0x3000]);
        extents.give(b, 0x1000);
        extents.give(a, 0x1000);
        assert_eq!(extents.take(0x2000, 0x1000), Some(a));
    }

    #[test]
    fn alignment_leaves_the_skipped_part_free() {
        let mut extents = Extents::new(0x1200..0x9000);
        assert_eq!(extents.take(0x1000, 0x2000), Some(0x2000));
        assert_eq!(extents.take(0x200, 0x200), Some(0x1200));
    }

    #[test]
    fn what_does_not_fit_is_not_given() {
        let mut extents = Extents::new(0x1000..0x3000);
        assert_eq!(extents.take(0x2001, 1), None);
        assert_eq!(extents.take(u64::MAX, 1), None);
        assert_eq!(extents.take(0x2000, 1), Some(0x1000));
        assert_eq!(extents.take(1, 1), None);
    }

    #[test]
    fn a_place_is_given_if_all_of_it_is_free() {
        let mut extents = Extents::new(0x1000..0x9000);
        assert!(extents.take_at(0x3000, 0x1000) && !extents.take_at(0x3000, 0x1000));
        assert!(!extents.take_at(0x2000, 0x2000) && !extents.take_at(0x800, 0x1000));
        assert!(!extents.take_at(0x8000, 0x1001) && extents.take_at(0x8000, 0x1000));
        assert_eq!([extents.take(0x2000, 1), extents.take(0x4000, 1)], [Some(0x1000), Some(0x4000)]);
        assert_eq!(extents.take(1, 1), None);
    }

    #[test]
    fn neighbours_grow_together_whatever_the_order_of_freeing() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut extents = Extents::new(0..0x300);
            let parts = [(); 3].map(|()| extents.take(0x100, 1).unwrap());
            for index in order {
                extents.give(parts[index], 0x100);
            }
            assert_eq!(extents.take(0x300, 1), Some(0), "{order:?}");
        }
    }
}
