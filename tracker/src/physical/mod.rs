//! Physical memory that the driver knows by handles and mappings instead of by an address.

mod bindings;
mod held;

use crate::Table;
use bindings::Seat;
use contract::Bytes;
use shared_region::DeviceIndex;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// What was charged for one piece of physical memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The device it was charged on.
    pub device: DeviceIndex,
    /// What the driver calls that device.
    pub ordinal: i32,
    /// What was charged.
    pub bytes: Bytes,
}

/// Tells a piece from others that were or will be called by the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceId(u64);

/// A mapping that is about to be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The first address.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// What is mapped there.
    pub id: PieceId,
}

/// The pieces this process holds, and what it was charged for those that it has created. A piece lives until its last handle
/// is released, its last mapping is gone *and* no multicast object has it, in whichever order; an import that comes back to
/// the process counts as a handle. A piece that other processes can have got hold of becomes an *orphan* then: it stays
/// charged until they are known to have let go of it.
///
/// Multicast objects and pieces that other processes have created are pieces for which nothing is charged. Handles and
/// addresses of which nothing is known are none of these.
#[derive(Debug, Default)]
pub struct Physical {
    pieces: BTreeMap<PieceId, Held>,
    /// Which piece a handle means, and how often it is to be released.
    handles: Table<u64, (PieceId, u64)>,
    /// How much of which piece is mapped at an address.
    mappings: BTreeMap<u64, (u64, PieceId)>,
    /// Which pieces multicast objects have.
    bindings: BTreeMap<Seat, PieceId>,
    orphans: Vec<Orphan>,
    imports: u64,
    created: u64,
}

/// What something that the driver knows by a handle is.
#[derive(Clone, Copy, Debug)]
enum What {
    /// What this process has created and is charged for.
    Own(Piece),
    /// What another process has created, on that device if it is known; so much of it was mapped at most.
    Foreign { device: Option<DeviceIndex>, bytes: Bytes },
    /// A multicast object.
    Object,
}

#[derive(Debug)]
struct Held {
    what: What,
    /// Handles to be released, mappings to be undone, and parts of multicast objects.
    references: u64,
    /// The exports by which other processes can have got hold of it.
    exports: Vec<u64>,
}

/// A piece that this process has let go of, and others perhaps not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// What is charged for it.
    pub piece: Piece,
    /// The exports by which others can have got hold of it, by the caller's numbers.
    pub exports: Vec<u64>,
}

impl Physical {
    /// Records that the driver has created `piece` and calls it `handle`.
    pub fn create(&mut self, handle: u64, piece: Piece) {
        self.insert(handle, What::Own(piece));
    }

    /// Records that the driver has created a multicast object and calls it `handle`.
    pub fn create_multicast(&mut self, handle: u64) {
        self.insert(handle, What::Object);
    }

    /// Records that `handle` is something that another process has created, on `device` if that is known.
    pub fn import(&mut self, handle: u64, device: Option<DeviceIndex>) {
        self.imports += 1;
        self.insert(handle, What::Foreign { device, bytes: Bytes::ZERO });
    }

    fn insert(&mut self, handle: u64, what: What) {
        self.created += 1;
        let id = PieceId(self.created);
        self.pieces.insert(id, Held { what, references: 1, exports: Vec::new() });
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
        let (start, (bytes, id)) = self.mappings.range(..=address).next_back()?;
        (address - start < *bytes).then_some(*id)
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

    /// Records that other processes can get hold of `id` by the export that the caller calls `export`.
    pub fn export(&mut self, export: u64, id: PieceId) {
        if let Some(held) = self.pieces.get_mut(&id) {
            held.exports.push(export);
        }
    }

    /// The piece that was exported as `export`, if this process still holds it.
    #[must_use]
    pub fn exported_as(&self, export: u64) -> Option<PieceId> {
        self.pieces.iter().find(|(_, held)| held.exports.contains(&export)).map(|(id, _)| *id)
    }

    /// Records that `handle` means an orphan that was exported as `export` and has come back. `false`: there is none.
    pub fn adopt(&mut self, handle: u64, export: u64) -> bool {
        let Some(at) = self.orphans.iter().position(|orphan| orphan.exports.contains(&export)) else {
            return false;
        };
        let Orphan { piece, exports } = self.orphans.swap_remove(at);
        self.create(handle, piece);
        if let Some(held) = self.find(handle).and_then(|id| self.pieces.get_mut(&id)) {
            held.exports = exports;
        }
        true
    }

    /// Records that the driver has mapped the first `bytes` of `id` at `address`.
    pub fn map(&mut self, address: u64, bytes: u64, id: PieceId) {
        if let Some(held) = self.pieces.get_mut(&id) {
            held.references += 1;
            if let What::Foreign { bytes: known, .. } = &mut held.what {
                *known = (*known).max(Bytes(bytes));
            }
            self.mappings.insert(address, (bytes, id));
        }
    }

    /// Forgets the mappings in `bytes` from `address`, which are about to be undone.
    #[must_use = "they have to be dropped or put back"]
    pub fn take_mappings(&mut self, address: u64, bytes: u64) -> Vec<Mapping> {
        let range = address..address.saturating_add(bytes);
        let found = self.mappings.range(range);
        let mappings: Vec<_> = found
            .map(|(address, (bytes, id))| Mapping { address: *address, bytes: *bytes, id: *id })
            .collect();
        for Mapping { address, .. } in &mappings {
            self.mappings.remove(address);
        }
        mappings
    }

    /// Records mappings again that were [taken](Self::take_mappings) and then not undone.
    pub fn put_back(&mut self, mappings: Vec<Mapping>) {
        self.mappings.extend(mappings.into_iter().map(|of| (of.address, (of.bytes, of.id))));
    }

    /// The driver has undone a mapping of `id`. Returns what is to be given back if that was the last reference.
    pub fn unmapped(&mut self, id: PieceId) -> Vec<Piece> {
        self.drop_reference(id)
    }

    /// The driver has released `handle`, which meant `id`. Returns what is to be given back if that was the last reference.
    pub fn released(&mut self, handle: u64, id: PieceId) -> Vec<Piece> {
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

    /// Pieces that others can still hold.
    #[must_use]
    pub fn orphans(&self) -> &[Orphan] {
        &self.orphans
    }

    /// Forgets the orphans that nobody can hold any more, as `is_held` says. Returns what is to be given back.
    pub fn settle_orphans(&mut self, is_held: impl Fn(&Orphan) -> bool) -> Vec<Piece> {
        self.orphans.extract_if(.., |orphan| !is_held(orphan)).map(|orphan| orphan.piece).collect()
    }

    /// Whether this process holds something that another one has created, or has passed such a thing on.
    #[must_use]
    pub const fn holds_imports(&self) -> bool {
        self.imports > 0
    }

    /// What is charged on `device` for pieces that this process has let go of.
    #[must_use]
    pub fn orphaned(&self, device: DeviceIndex) -> Bytes {
        let of_device = self.orphans.iter().filter(|orphan| orphan.piece.device == device);
        of_device.fold(Bytes::ZERO, |sum, orphan| sum.saturating_add(orphan.piece.bytes))
    }

    /// What this process holds on `device` of others, as far as it has been mapped.
    #[must_use]
    pub fn imported(&self, device: DeviceIndex) -> Bytes {
        self.pieces.values().fold(Bytes::ZERO, |sum, held| match held.what {
            What::Foreign { device: Some(of), bytes } if of == device => sum.saturating_add(bytes),
            _ => sum,
        })
    }

    fn drop_reference(&mut self, id: PieceId) -> Vec<Piece> {
        let Some(held) = self.pieces.get_mut(&id) else { return Vec::new() };
        held.references -= 1;
        if held.references > 0 {
            return Vec::new();
        }
        let Some(held) = self.pieces.remove(&id) else { return Vec::new() };
        match held.what {
            What::Object => self.drop_bindings((id, i32::MIN, 0)..(PieceId(id.0 + 1), i32::MIN, 0)),
            What::Foreign { .. } => {
                // What was passed on from here can be held by whoever has that.
                self.imports -= u64::from(held.exports.is_empty());
                self.drop_bindings((id, i32::MIN, 0)..(PieceId(id.0 + 1), i32::MIN, 0))
            }
            What::Own(piece) if held.exports.is_empty() => vec![piece],
            What::Own(piece) => {
                self.orphans.push(Orphan { piece, exports: held.exports });
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests;
