//! Arrays that memory is mapped to, part by part: which pieces of physical memory they hold.

use crate::{ContextId, PieceId, Table};
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// A part of an array: a box in one of its planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparsePart {
    plane: Plane,
    /// The first element, row and slice.
    start: [u64; 3],
    /// The first after them.
    end: [u64; 3],
}

/// What parts can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plane {
    Level { level: u32, layer: u32 },
    Tail { layer: u32 },
    Whole,
}

impl SparsePart {
    /// All of an array.
    pub const WHOLE: Self = Self { plane: Plane::Whole, start: [0; 3], end: [1; 3] };

    /// A box of elements, rows and slices of one level of one layer.
    #[must_use]
    pub fn of_level(level: u32, layer: u32, start: [u64; 3], extent: [u64; 3]) -> Self {
        let end = core::array::from_fn(|axis| start[axis].saturating_add(extent[axis]));
        Self { plane: Plane::Level { level, layer }, start, end }
    }

    /// Bytes of the levels that are smaller than a tile.
    #[must_use]
    pub const fn of_tail(layer: u32, start: u64, bytes: u64) -> Self {
        Self { plane: Plane::Tail { layer }, start: [start, 0, 0], end: [start.saturating_add(bytes), 1, 1] }
    }

    /// What is left of it without `other`: boxes that do not overlap.
    fn without(self, other: &Self) -> Vec<Self> {
        let meets = self.plane == other.plane
            && (0..3).all(|axis| self.start[axis] < other.end[axis] && other.start[axis] < self.end[axis]);
        if !meets {
            return vec![self];
        }
        let mut rest = self;
        let mut left = Vec::new();
        for axis in 0..3 {
            if rest.start[axis] < other.start[axis] {
                let mut before = rest;
                before.end[axis] = other.start[axis];
                rest.start[axis] = other.start[axis];
                left.push(before);
            }
            if rest.end[axis] > other.end[axis] {
                let mut after = rest;
                after.start[axis] = other.end[axis];
                rest.end[axis] = other.end[axis];
                left.push(after);
            }
        }
        left
    }
}

/// The arrays of this process that were created without memory.
#[derive(Debug, Default)]
pub struct Sparse {
    arrays: Table<u64, SparseArray>,
}

/// An array without memory of its own, and what is mapped to it.
#[derive(Debug)]
pub struct SparseArray {
    context: ContextId,
    /// Whether memory is only mapped to it as a whole.
    is_whole: bool,
    parts: Vec<(SparsePart, PieceId)>,
}

/// Pieces of physical memory whose first part in an array was mapped, or whose last one went.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Remapped {
    /// Held from now on.
    pub gained: Vec<PieceId>,
    /// Not held any more.
    pub lost: Vec<PieceId>,
}

impl Sparse {
    /// Records that the driver has created `array` without memory, which is mapped to all of it (`is_whole`) or to parts.
    /// Returns what an array of that handle held, which has ended in a way nobody saw.
    #[must_use = "what is lost has to be dropped"]
    pub fn create(&mut self, array: u64, context: ContextId, is_whole: bool) -> Vec<PieceId> {
        let before = self.arrays.insert(array, SparseArray { context, is_whole, parts: Vec::new() });
        before.map(SparseArray::pieces).unwrap_or_default()
    }

    /// Records that the driver has mapped `piece` to a part of `array`, or unmapped what was there.
    #[must_use = "what is gained has to be held, what is lost to be dropped"]
    pub fn map(&mut self, array: u64, part: SparsePart, piece: Option<PieceId>) -> Remapped {
        let Some(array) = self.arrays.get_mut(&array) else { return Remapped::default() };
        let part = if array.is_whole { SparsePart::WHOLE } else { part };
        let before = array.held();
        let kept = array
            .parts
            .drain(..)
            .flat_map(|(known, piece)| known.without(&part).into_iter().map(move |rest| (rest, piece)));
        array.parts = kept.chain(piece.map(|piece| (part, piece))).collect();
        let after = array.held();
        Remapped {
            gained: after.difference(&before).copied().collect(),
            lost: before.difference(&after).copied().collect(),
        }
    }

    /// Forgets `array`, which is about to be destroyed.
    #[must_use = "its pieces have to be dropped, or it has to be put back"]
    pub fn take(&mut self, array: u64) -> Option<SparseArray> {
        self.arrays.remove(&array)
    }

    /// Records an array again that was [taken](Self::take) and then not destroyed. Returns what is lost with it if its handle
    /// means another one by now.
    #[must_use = "what is lost has to be dropped"]
    pub fn put_back(&mut self, array: u64, taken: SparseArray) -> Vec<PieceId> {
        match self.arrays.entry(array) {
            Entry::Occupied(_) => taken.pieces(),
            Entry::Vacant(place) => {
                place.insert(taken);
                Vec::new()
            }
        }
    }

    /// Forgets the arrays of `context`, which has ended, and returns what they held; a piece for each array.
    #[must_use = "what is lost has to be dropped"]
    pub fn end_context(&mut self, context: ContextId) -> Vec<PieceId> {
        let ended = self.arrays.extract_if(|_, array| array.context == context);
        ended.flat_map(|(_, array)| array.pieces()).collect()
    }
}

impl SparseArray {
    fn held(&self) -> BTreeSet<PieceId> {
        self.parts.iter().map(|(_, piece)| *piece).collect()
    }

    /// What it holds.
    #[must_use]
    pub fn pieces(self) -> Vec<PieceId> {
        self.held().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Physical, Piece};
    use contract::Bytes;
    use shared_region::DeviceIndex;

    const CONTEXT: ContextId = ContextId(1);
    const ARRAY: u64 = 7;

    /// Two pieces, and an array of parts.
    fn begun() -> (Sparse, PieceId, PieceId) {
        let mut physical = Physical::default();
        let device = DeviceIndex::new(0).expect("a region has a first device");
        let [one, other] = [1, 2].map(|handle| {
            physical.create(handle, Piece { device, ordinal: 0, bytes: Bytes(1) });
            physical.find(handle).expect("just created")
        });
        let mut sparse = Sparse::default();
        assert_eq!(sparse.create(ARRAY, CONTEXT, false), []);
        (sparse, one, other)
    }

    fn tiles(x: u64, y: u64, width: u64, height: u64) -> SparsePart {
        SparsePart::of_level(0, 0, [x, y, 0], [width, height, 1])
    }

    fn gained(piece: PieceId) -> Remapped {
        Remapped { gained: vec![piece], lost: Vec::new() }
    }

    fn lost(piece: PieceId) -> Remapped {
        Remapped { gained: Vec::new(), lost: vec![piece] }
    }

    #[test]
    fn a_piece_is_held_from_its_first_part_to_its_last() {
        let (mut sparse, one, _) = begun();
        assert_eq!(sparse.map(ARRAY, tiles(0, 0, 4, 4), Some(one)), gained(one));
        assert_eq!(sparse.map(ARRAY, tiles(8, 0, 4, 4), Some(one)), Remapped::default());
        assert_eq!(sparse.map(ARRAY, tiles(0, 0, 4, 4), None), Remapped::default());
        assert_eq!(sparse.map(ARRAY, tiles(8, 0, 4, 4), None), lost(one));
    }

    #[test]
    fn what_is_mapped_over_loses_what_is_covered_and_no_more() {
        let (mut sparse, one, other) = begun();
        assert_eq!(sparse.map(ARRAY, tiles(0, 0, 8, 8), Some(one)), gained(one));
        assert_eq!(sparse.map(ARRAY, tiles(2, 2, 2, 2), Some(other)), gained(other));
        // The four sides of the hole.
        for side in [tiles(0, 0, 2, 8), tiles(4, 0, 4, 8), tiles(2, 0, 2, 2)] {
            assert_eq!(sparse.map(ARRAY, side, None), Remapped::default());
        }
        assert_eq!(sparse.map(ARRAY, tiles(2, 4, 2, 4), None), lost(one));
        let again = sparse.map(ARRAY, tiles(0, 0, 8, 8), Some(one));
        assert_eq!(again, Remapped { gained: vec![one], lost: vec![other] });
    }

    #[test]
    fn levels_layers_and_tails_do_not_meet() {
        let (mut sparse, one, other) = begun();
        let parts = [
            tiles(0, 0, 4, 4),
            SparsePart::of_level(1, 0, [0; 3], [4, 4, 1]),
            SparsePart::of_level(0, 1, [0; 3], [4, 4, 1]),
            SparsePart::of_tail(0, 0, 64),
            SparsePart::of_tail(1, 0, 64),
        ];
        assert_eq!(sparse.map(ARRAY, parts[0], Some(one)), gained(one));
        assert_eq!(sparse.map(ARRAY, parts[1], Some(other)), gained(other));
        for part in &parts[2..] {
            assert_eq!(sparse.map(ARRAY, *part, Some(other)), Remapped::default());
        }
        for part in &parts[1..4] {
            assert_eq!(sparse.map(ARRAY, *part, None), Remapped::default());
        }
        assert_eq!(sparse.map(ARRAY, SparsePart::of_tail(1, 0, 64), None), lost(other));
        let taken = sparse.take(ARRAY).expect("an array");
        assert_eq!(taken.pieces(), [one]);
    }

    #[test]
    fn an_array_that_is_mapped_as_a_whole_ignores_parts() {
        let (mut sparse, one, other) = begun();
        assert_eq!(sparse.create(8, CONTEXT, true), []);
        assert_eq!(sparse.map(8, tiles(0, 0, 4, 4), Some(one)), gained(one));
        let replaced = sparse.map(8, tiles(90, 0, 4, 4), Some(other));
        assert_eq!(replaced, Remapped { gained: vec![other], lost: vec![one] });
        assert_eq!(sparse.map(8, SparsePart::of_tail(0, 0, 1), None), lost(other));
    }

    #[test]
    fn an_array_that_was_not_destroyed_keeps_what_it_holds() {
        let (mut sparse, one, _) = begun();
        assert_eq!(sparse.map(ARRAY, tiles(0, 0, 4, 4), Some(one)), gained(one));
        let taken = sparse.take(ARRAY).expect("an array");
        assert_eq!(sparse.put_back(ARRAY, taken), []);
        let taken = sparse.take(ARRAY).expect("an array");
        assert_eq!(sparse.create(ARRAY, CONTEXT, false), []);
        assert_eq!(sparse.put_back(ARRAY, taken), [one]);
    }

    #[test]
    fn the_end_of_an_array_or_its_context_is_the_end_of_its_parts() {
        let (mut sparse, one, other) = begun();
        assert_eq!(sparse.create(8, ContextId(2), false), []);
        assert_eq!(sparse.map(ARRAY, tiles(0, 0, 1, 1), Some(one)), gained(one));
        assert_eq!(sparse.map(8, tiles(0, 0, 1, 1), Some(other)), gained(other));
        assert_eq!(sparse.end_context(ContextId(2)), [other]);
        assert_eq!(sparse.create(ARRAY, CONTEXT, false), [one]);
        assert_eq!(sparse.map(8, tiles(0, 0, 1, 1), Some(one)), Remapped::default());
        assert!(sparse.take(8).is_none());
    }
}
