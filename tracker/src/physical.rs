//! Physical memory that the driver knows by handles and mappings instead of by an address.

use contract::Bytes;
use shared_region::DeviceIndex;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// What was charged for one piece of physical memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The device it was charged on.
    pub device: DeviceIndex,
    /// What was charged.
    pub bytes: Bytes,
}

/// Tells a piece from others that were or will be called by the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceId(u64);

/// The pieces this process was charged for. A piece lives until its last handle is released *and* its last mapping is gone,
/// in whichever order; an import that comes back to the process counts as a handle.
///
/// Handles and addresses of which nothing is known are memory of others, or none.
#[derive(Debug, Default)]
pub struct Physical {
    pieces: BTreeMap<PieceId, Held>,
    /// Which piece a handle means, and how often it is to be released.
    handles: HashMap<u64, (PieceId, u64)>,
    /// Which piece is mapped at an address.
    mappings: BTreeMap<u64, PieceId>,
    /// Which piece was last exported as a file descriptor.
    exports: HashMap<i32, PieceId>,
    created: u64,
}

#[derive(Debug)]
struct Held {
    piece: Piece,
    /// Handles to be released, and mappings to be undone.
    references: u64,
}

impl Physical {
    /// Records that the driver has created `piece` and calls it `handle`.
    pub fn create(&mut self, handle: u64, piece: Piece) {
        self.created += 1;
        let id = PieceId(self.created);
        self.pieces.insert(id, Held { piece, references: 1 });
        // A piece that had this handle has been released, and whoever did that is about to say so.
        self.handles.insert(handle, (id, 1));
    }

    /// The piece that `handle` means.
    #[must_use]
    pub fn find(&self, handle: u64) -> Option<PieceId> {
        self.handles.get(&handle).map(|(id, _)| *id)
    }

    /// The piece that is mapped at `address`, anywhere in its mapping.
    #[must_use]
    pub fn mapped_at(&self, address: u64) -> Option<PieceId> {
        let (start, id) = self.mappings.range(..=address).next_back()?;
        let held = self.pieces.get(id)?;
        (address - start < held.piece.bytes.0).then_some(*id)
    }

    /// Records that `handle` is one more handle of `id`, or the same once more.
    pub fn retain(&mut self, handle: u64, id: PieceId) {
        if let Some(held) = self.pieces.get_mut(&id) {
            held.references += 1;
            match self.handles.get_mut(&handle) {
                Some((same, releases)) if *same == id => *releases += 1,
                _ => drop(self.handles.insert(handle, (id, 1))),
            }
        }
    }

    /// Records that `id` was exported as the file descriptor `descriptor`.
    pub fn export(&mut self, descriptor: i32, id: PieceId) {
        self.exports.insert(descriptor, id);
    }

    /// The piece of this process that was exported as `descriptor`, if it still is there. The descriptor may have been closed
    /// since and be another file's: who takes that for the piece holds it charged for too long, never too short.
    #[must_use]
    pub fn exported_as(&self, descriptor: i32) -> Option<PieceId> {
        self.exports.get(&descriptor).copied().filter(|id| self.pieces.contains_key(id))
    }

    /// Records that the driver has mapped `id` at `address`.
    pub fn map(&mut self, address: u64, id: PieceId) {
        if let Some(held) = self.pieces.get_mut(&id) {
            held.references += 1;
            self.mappings.insert(address, id);
        }
    }

    /// Forgets the mappings in `bytes` from `address`, which are about to be undone.
    #[must_use = "they have to be dropped or put back"]
    pub fn take_mappings(&mut self, address: u64, bytes: u64) -> Vec<(u64, PieceId)> {
        let range = address..address.saturating_add(bytes);
        let mappings: Vec<_> = self.mappings.range(range).map(|(start, id)| (*start, *id)).collect();
        for (start, _) in &mappings {
            self.mappings.remove(start);
        }
        mappings
    }

    /// Records mappings again that were [taken](Self::take_mappings) and then not undone.
    pub fn put_back(&mut self, mappings: Vec<(u64, PieceId)>) {
        self.mappings.extend(mappings);
    }

    /// The driver has undone a mapping of `id`. Returns what is to be given back if that was the last reference.
    pub fn unmapped(&mut self, id: PieceId) -> Option<Piece> {
        self.drop_reference(id)
    }

    /// The driver has released `handle`, which meant `id`. Returns what is to be given back if that was the last reference.
    pub fn released(&mut self, handle: u64, id: PieceId) -> Option<Piece> {
        // The driver may call another piece so by now.
        if let Entry::Occupied(mut known) = self.handles.entry(handle) {
            let (same, releases) = *known.get();
            match (same == id, releases) {
                (false, _) => {}
                (true, ..=1) => drop(known.remove()),
                (true, _) => known.get_mut().1 = releases - 1,
            }
        }
        self.drop_reference(id)
    }

    fn drop_reference(&mut self, id: PieceId) -> Option<Piece> {
        let held = self.pieces.get_mut(&id)?;
        held.references -= 1;
        if held.references > 0 {
            return None;
        }
        self.exports.retain(|_, exported| *exported != id);
        self.pieces.remove(&id).map(|held| held.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(bytes: u64) -> Piece {
        Piece { device: DeviceIndex::new(0).expect("a region has a first device"), bytes: Bytes(bytes) }
    }

    /// A piece of 64 bytes called 7.
    fn created() -> (Physical, PieceId) {
        let mut physical = Physical::default();
        physical.create(7, piece(64));
        let id = physical.find(7).expect("just created");
        (physical, id)
    }

    #[test]
    fn a_piece_ends_with_its_only_handle() {
        let (mut physical, id) = created();
        assert_eq!(physical.released(7, id), Some(piece(64)));
        assert_eq!((physical.find(7), physical.released(7, id)), (None, None));
    }

    #[test]
    fn a_mapping_keeps_a_piece_that_has_been_released() {
        let (mut physical, id) = created();
        physical.map(0x1000, id);
        physical.map(0x2000, id);
        assert_eq!((physical.released(7, id), physical.find(7)), (None, None));
        assert_eq!(physical.mapped_at(0x103f), Some(id));
        assert_eq!(physical.mapped_at(0x1040), None);
        let undone = physical.take_mappings(0x1000, 0x2000);
        assert_eq!(undone, [(0x1000, id), (0x2000, id)]);
        assert_eq!(physical.unmapped(id), None);
        assert_eq!(physical.unmapped(id), Some(piece(64)));
    }

    #[test]
    fn a_retained_handle_is_released_as_often_as_it_was_taken() {
        for other in [7, 8] {
            let (mut physical, id) = created();
            physical.retain(other, id);
            assert_eq!(physical.released(7, id), None);
            assert_eq!(physical.find(other), Some(id));
            assert_eq!(physical.released(other, id), Some(piece(64)));
            assert_eq!(physical.find(other), None);
        }
    }

    #[test]
    fn mappings_that_were_not_undone_stay() {
        let (mut physical, id) = created();
        physical.map(0x1000, id);
        let kept = physical.take_mappings(0x1000, 1);
        assert_eq!(physical.mapped_at(0x1000), None);
        physical.put_back(kept);
        assert_eq!(physical.mapped_at(0x1000), Some(id));
    }

    #[test]
    fn a_slow_release_does_not_end_the_next_piece_of_that_handle() {
        let (mut physical, old) = created();
        physical.create(7, piece(128));
        assert_eq!(physical.released(7, old), Some(piece(64)));
        let new = physical.find(7).expect("still there");
        assert_eq!(physical.released(7, new), Some(piece(128)));
    }

    #[test]
    fn an_export_that_comes_back_keeps_the_piece() {
        let (mut physical, id) = created();
        physical.export(3, id);
        let back = physical.exported_as(3).expect("its own");
        physical.retain(9, back);
        assert_eq!(physical.released(7, id), None);
        assert_eq!(physical.released(9, id), Some(piece(64)));
        assert_eq!(physical.exported_as(3), None);
    }
}
