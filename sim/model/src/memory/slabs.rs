//! Small allocations of one context, packed into chunks that they share.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Bytes, SlabId, SlabPlace};

/// Alignment of a small allocation. Real cards: pointers are 512-byte aligned, 256 is the documented floor.
const ALIGNMENT: Bytes = Bytes(512);

/// The largest request that shares a chunk.
pub(super) const LARGEST: Bytes = Bytes(1 << 20);

/// The slabs of one context or one pool. Best fit: the smallest free range that holds the request.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs {
    sizes: BTreeMap<SlabId, Bytes>,
    by_size: BTreeSet<(Bytes, SlabId, Bytes)>,
    by_place: BTreeMap<(SlabId, Bytes), Bytes>,
}

/// What a small allocation occupies.
pub(super) fn footprint(bytes: Bytes) -> Option<Bytes> {
    bytes.round_up(ALIGNMENT)
}

impl Slabs {
    /// A place for so many bytes in an existing slab. `bytes` is a footprint.
    pub(super) fn place(&mut self, bytes: Bytes) -> Option<SlabPlace> {
        let &(size, slab, offset) = self.by_size.range((bytes, SlabId(0), Bytes::ZERO)..).next()?;
        self.remove_range(slab, offset, size);
        if size > bytes {
            self.add_range(slab, offset + bytes, size - bytes);
        }
        Some(SlabPlace { slab, offset })
    }

    /// Adds an empty slab.
    pub(super) fn grow(&mut self, slab: SlabId, size: Bytes) {
        self.sizes.insert(slab, size);
        self.add_range(slab, Bytes::ZERO, size);
    }

    /// Bytes of a slab, used or not.
    pub(super) fn size(&self, slab: SlabId) -> Option<Bytes> {
        self.sizes.get(&slab).copied()
    }

    /// Slabs of which nothing is used, with their sizes.
    pub(super) fn empty(&self) -> impl Iterator<Item = (SlabId, Bytes)> + '_ {
        let free = self.by_place.iter().map(|((slab, _), size)| (*slab, *size));
        free.filter(|(slab, size)| self.sizes.get(slab) == Some(size))
    }

    /// Forgets an empty slab.
    pub(super) fn shrink(&mut self, slab: SlabId) {
        if let Some(size) = self.sizes.remove(&slab) {
            self.remove_range(slab, Bytes::ZERO, size);
        }
    }

    /// Gives a place back. True when its slab is empty now.
    pub(super) fn release(&mut self, place: SlabPlace, bytes: Bytes) -> bool {
        let SlabPlace { slab, mut offset } = place;
        let mut size = bytes;
        let before = self.by_place.range((slab, Bytes::ZERO)..(slab, offset)).next_back();
        if let Some((&(_, start), &length)) = before
            && start + length == offset
        {
            self.remove_range(slab, start, length);
            (offset, size) = (start, size + length);
        }
        if let Some(&length) = self.by_place.get(&(slab, offset + size)) {
            self.remove_range(slab, offset + size, length);
            size += length;
        }
        self.add_range(slab, offset, size);
        self.sizes.get(&slab) == Some(&size)
    }

    fn add_range(&mut self, slab: SlabId, offset: Bytes, size: Bytes) {
        self.by_place.insert((slab, offset), size);
        self.by_size.insert((size, slab, offset));
    }

    fn remove_range(&mut self, slab: SlabId, offset: Bytes, size: Bytes) {
        self.by_place.remove(&(slab, offset));
        self.by_size.remove(&(size, slab, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: Bytes = Bytes(2 << 20);
    const KIB: Bytes = Bytes(1024);

    fn one_slab() -> Slabs {
        let mut slabs = Slabs::default();
        slabs.grow(SlabId(1), CHUNK);
        slabs
    }

    #[test]
    fn a_chunk_holds_exactly_2048_kibibytes() {
        let mut slabs = one_slab();
        let mut offsets = BTreeSet::new();
        while let Some(place) = slabs.place(KIB) {
            assert!(offsets.insert(place.offset), "two allocations at one place");
        }
        assert_eq!(offsets.len(), 2048);
        assert!(offsets.iter().all(|offset| offset.0 % 1024 == 0));
    }

    #[test]
    fn a_hole_of_the_right_size_is_taken_before_a_larger_one() {
        let mut slabs = one_slab();
        let small = slabs.place(KIB).expect("room");
        let _kept = slabs.place(KIB).expect("room");
        slabs.release(small, KIB);
        assert_eq!(slabs.place(KIB), Some(small));
    }

    #[test]
    fn neighbours_merge_in_either_order_of_release() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
            let mut slabs = one_slab();
            let half = Bytes(CHUNK.0 / 4);
            let places: Vec<_> = (0..3).map(|_| slabs.place(half).expect("room")).collect();
            let emptied: Vec<_> = order.iter().map(|&at| slabs.release(places[at], half)).collect();
            assert_eq!(emptied, [false, false, true], "{order:?}");
            assert_eq!(slabs.empty().collect::<Vec<_>>(), [(SlabId(1), CHUNK)]);
            slabs.shrink(SlabId(1));
            assert!(slabs.by_size.is_empty() && slabs.by_place.is_empty());
        }
    }

    #[test]
    fn ranges_of_two_slabs_do_not_merge() {
        let mut slabs = one_slab();
        slabs.grow(SlabId(2), CHUNK);
        let half = Bytes(CHUNK.0 / 2);
        let places: Vec<_> = (0..4).map(|_| slabs.place(half).expect("room")).collect();
        assert!(slabs.place(half).is_none());
        assert!(!slabs.release(places[1], half));
        assert!(!slabs.release(places[2], half));
        assert!(slabs.place(CHUNK).is_none());
    }
}
