//! Physical memory that several processes may hold: pieces, and who keeps them.
//!
//! A piece lives until no process holds it and no descriptor names it. It is on the account of whoever it was made for,
//! and when that process lets go of it, on that of another one that holds it.

use std::collections::BTreeMap;

use super::ledger::{Charge, Class};
use super::{Memory, position};
use crate::{AllocationId, Bytes, DeviceIndex, PieceId, PieceState, ProcessId, Refusal, SlabId, StoreRange};

/// On whose account is what only descriptors keep: processes count from 1.
const NOBODY: ProcessId = ProcessId(0);

/// Every piece, and where the next one's contents go.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    all: BTreeMap<PieceId, Piece>,
    /// Memory of allocations that is a piece since it was shared.
    shared: BTreeMap<Origin, PieceId>,
    /// Contents that nobody needs any more.
    gone: Vec<StoreRange>,
    last: u64,
    end_of_store: Bytes,
}

#[derive(Clone, Debug)]
struct Piece {
    /// `None`: memory of the host.
    device: Option<DeviceIndex>,
    /// What was asked for, on this process' account; memory of an allocation was asked for as that.
    charge: Charge,
    holds: BTreeMap<ProcessId, u64>,
    descriptors: u64,
    range: StoreRange,
    /// Whether any process may hold it that knows its name, as memory of allocations that was shared.
    by_name: bool,
}

/// Which memory of an allocation was shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The chunks of its own.
    Chunks(AllocationId),
    /// The slab that it lies in, with its neighbours.
    Slab(SlabId),
}

impl Memory {
    /// Creates a piece of a device, or of the host, which the process holds.
    ///
    /// # Errors
    /// `InvalidDevice`, `InvalidValue` for what is no whole number of chunks, `OutOfMemory`.
    pub(crate) fn create_piece(
        &mut self,
        process: ProcessId,
        device: Option<DeviceIndex>,
        bytes: Bytes,
    ) -> Result<PieceState, Refusal> {
        if let Some(device) = device {
            let memory = self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
            if bytes == Bytes::ZERO || !bytes.0.is_multiple_of(memory.chunk.0) {
                return Err(Refusal::InvalidValue);
            }
            let taken = self.take(device, process, bytes);
            let ledger = &mut self.devices[position(device)].ledger;
            if taken.is_err() {
                ledger.refused += 1;
            }
            taken?;
            ledger.charge(Charge { process, bytes, class: Class::Requested });
        }
        let charge = Charge { process, bytes, class: Class::Requested };
        Ok(self.add_piece(device, charge, bytes, false))
    }

    /// Makes the memory of an allocation a piece, so that others can hold it; says which, and where in it the allocation is.
    ///
    /// # Errors
    /// `InvalidValue` when the process has no such allocation, or when it has no memory that stays where it is.
    pub(crate) fn share(
        &mut self,
        process: ProcessId,
        id: AllocationId,
    ) -> Result<(PieceState, Bytes), Refusal> {
        let held = self.allocations.get(&id).filter(|held| held.charge.process == process);
        let held = *held.ok_or(Refusal::InvalidValue)?;
        let (origin, bytes, offset) = self.origin_of(id, &held).ok_or(Refusal::InvalidValue)?;
        if let Some(piece) = self.pieces.shared.get(&origin).and_then(|piece| self.pieces.state(*piece)) {
            return Ok((piece, offset));
        }
        // The bytes were counted when they were asked for; a piece of them is no further request.
        let charge = Charge { process, bytes: Bytes::ZERO, class: Class::Pooled };
        let piece = self.add_piece(Some(held.device), charge, bytes, true);
        self.pieces.shared.insert(origin, piece.id);
        Ok((piece, offset))
    }

    fn add_piece(
        &mut self,
        device: Option<DeviceIndex>,
        charge: Charge,
        bytes: Bytes,
        by_name: bool,
    ) -> PieceState {
        let pieces = &mut self.pieces;
        pieces.last += 1;
        let id = PieceId(pieces.last);
        let range = StoreRange { offset: pieces.end_of_store, bytes };
        pieces.end_of_store += bytes;
        let holds = BTreeMap::from([(charge.process, 1)]);
        pieces.all.insert(id, Piece { device, charge, holds, descriptors: 0, range, by_name });
        PieceState { id, device, range }
    }

    /// The process holds a piece once more, which it knows by name or by a descriptor.
    ///
    /// # Errors
    /// `InvalidValue` for a piece that is gone, or that is shared by descriptors alone.
    pub(crate) fn hold_piece(
        &mut self,
        process: ProcessId,
        id: PieceId,
        by_name: bool,
    ) -> Result<PieceState, Refusal> {
        let piece = self.pieces.all.get_mut(&id).filter(|piece| piece.by_name || !by_name);
        *piece.ok_or(Refusal::InvalidValue)?.holds.entry(process).or_default() += 1;
        // It may have been nobody's.
        self.settle_piece(id);
        self.pieces.state(id).ok_or(Refusal::InvalidValue)
    }

    /// The process holds a piece once less.
    ///
    /// # Errors
    /// `InvalidValue` when it does not hold it.
    pub(crate) fn drop_piece(&mut self, process: ProcessId, id: PieceId) -> Result<(), Refusal> {
        let piece = self.pieces.all.get_mut(&id).ok_or(Refusal::InvalidValue)?;
        let holds = piece.holds.get_mut(&process).ok_or(Refusal::InvalidValue)?;
        *holds -= 1;
        if *holds == 0 {
            piece.holds.remove(&process);
            self.settle_piece(id);
        }
        Ok(())
    }

    /// One more descriptor names a piece that the process holds.
    ///
    /// # Errors
    /// `InvalidValue` when it does not hold it.
    pub(crate) fn add_descriptor(&mut self, process: ProcessId, id: PieceId) -> Result<(), Refusal> {
        let piece = self.pieces.all.get_mut(&id).filter(|piece| piece.holds.contains_key(&process));
        piece.ok_or(Refusal::InvalidValue)?.descriptors += 1;
        Ok(())
    }

    /// A descriptor of a piece was closed by the last who had it.
    pub(crate) fn drop_descriptor(&mut self, id: PieceId) {
        if let Some(piece) = self.pieces.all.get_mut(&id) {
            piece.descriptors = piece.descriptors.saturating_sub(1);
            self.settle_piece(id);
        }
    }

    /// A process is gone, and holds nothing any more.
    pub(crate) fn close_pieces(&mut self, process: ProcessId) {
        let held = |(id, piece): (&PieceId, &mut Piece)| piece.holds.remove(&process).map(|_| *id);
        let dropped: Vec<_> = self.pieces.all.iter_mut().filter_map(held).collect();
        for id in dropped {
            self.settle_piece(id);
        }
    }

    /// Contents in the store that nobody needs any more, each told once.
    pub(crate) fn take_gone(&mut self) -> Vec<StoreRange> {
        std::mem::take(&mut self.pieces.gone)
    }

    /// The memory of an allocation goes back, or stays with those who share it; says how much went back.
    pub(super) fn return_memory(
        &mut self,
        device: DeviceIndex,
        process: ProcessId,
        origin: Origin,
        bytes: Bytes,
    ) -> Bytes {
        let Some(piece) = self.pieces.shared.remove(&origin) else {
            self.devices[position(device)].ledger.give_back(process, bytes);
            return bytes;
        };
        // It is held by the process as long as the allocation is there.
        let _ = self.drop_piece(process, piece);
        if self.pieces.all.contains_key(&piece) { Bytes::ZERO } else { bytes }
    }

    /// A piece that nobody keeps ends; one that its owner has let go of goes to another holder's account.
    fn settle_piece(&mut self, id: PieceId) {
        let Some(piece) = self.pieces.all.get_mut(&id) else { return };
        let owner = piece.charge.process;
        if piece.holds.contains_key(&owner) {
            return;
        }
        let heir = piece.holds.keys().next().copied();
        let next = heir.or_else(|| (piece.descriptors > 0).then_some(NOBODY));
        let (charge, device, range) = (piece.charge, piece.device, piece.range);
        match next {
            Some(next) => {
                piece.charge.process = next;
                if let Some(device) = device {
                    self.devices[position(device)].ledger.hand_over(charge, range.bytes, next);
                }
            }
            None => {
                self.pieces.all.remove(&id);
                self.pieces.gone.push(range);
                if let Some(device) = device {
                    let ledger = &mut self.devices[position(device)].ledger;
                    ledger.give_back(owner, range.bytes);
                    if charge.class == Class::Requested {
                        ledger.refund(charge);
                    }
                }
            }
        }
    }
}

impl Pieces {
    fn state(&self, id: PieceId) -> Option<PieceState> {
        self.all.get(&id).map(|piece| PieceState { id, device: piece.device, range: piece.range })
    }
}
