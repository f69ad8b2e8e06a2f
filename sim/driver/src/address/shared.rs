//! Memory of allocations that several processes hold: this one's, and that of others.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::BorrowedFd;

use cuda_sys::CUresult;
use sim_kernel::{AllocationId, Bytes, PieceId, PieceState};

use super::Space;
use super::allocation::{Allocation, Home, Kind};
use crate::outcome::Outcome;

/// What is shared.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Where memory of this process begins whose contents are in the machine's store, because others may hold it.
    published: BTreeSet<u64>,
    opened: Vec<Opened>,
}

/// Memory of another process at addresses of this one.
#[derive(Debug)]
struct Opened {
    start: u64,
    bytes: u64,
    piece: PieceId,
    home: Home,
    /// The allocations in it that were opened, and how often.
    pointers: BTreeMap<u64, u64>,
}

/// An allocation of another process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    /// The memory that it lies in.
    pub(crate) memory: PieceState,
    /// Where it begins there.
    pub(crate) offset: u64,
    /// Its size.
    pub(crate) bytes: u64,
    /// What the machine calls it.
    pub(crate) id: AllocationId,
}

impl Space {
    /// Lets the contents of the memory that begins at `start` be where others can see them.
    pub(crate) fn publish(&mut self, start: u64, memory: PieceState, store: BorrowedFd<'_>) -> Outcome {
        if self.shared.published.contains(&start) {
            return Ok(());
        }
        let part = start..start + memory.range.bytes.0;
        let offset = memory.range.offset.0;
        self.device.publish(part, store, offset).ok_or(CUresult::OUT_OF_MEMORY)?;
        self.shared.published.insert(start);
        Ok(())
    }

    /// Forgets that something is shared; `false` when it never was.
    pub(super) fn unpublish(&mut self, start: u64) -> bool {
        self.shared.published.remove(&start)
    }

    /// Gives addresses to an allocation of another process, or those that it has. `true`: its memory has none yet.
    pub(crate) fn open(
        &mut self,
        foreign: &Foreign,
        home: Home,
        store: BorrowedFd<'_>,
    ) -> Outcome<(u64, bool)> {
        let PieceState { id: piece, range, .. } = foreign.memory;
        let known = self.shared.opened.iter().position(|of| of.piece == piece && of.home == home);
        let at = match known {
            Some(at) => at,
            None => {
                let bytes = range.bytes.round_up(Bytes(self.chunk)).ok_or(CUresult::OUT_OF_MEMORY)?.0;
                let start = self.device.extents().take(bytes, self.chunk).ok_or(CUresult::OUT_OF_MEMORY)?;
                let backed = self.device.back(start..start + range.bytes.0, store, range.offset.0);
                if backed.is_none() {
                    self.device.extents().give(start, bytes);
                    return Err(CUresult::OUT_OF_MEMORY);
                }
                self.shared.opened.push(Opened { start, bytes, piece, home, pointers: BTreeMap::new() });
                self.shared.opened.len() - 1
            }
        };
        let opened = &mut self.shared.opened[at];
        let start = opened.start + foreign.offset;
        *opened.pointers.entry(start).or_default() += 1;
        let (bytes, id, kind) = (foreign.bytes, foreign.id, Kind::Opened);
        self.insert_foreign(Allocation { start, bytes, id, home, kind, own: 0 });
        Ok((start, known.is_none()))
    }

    /// Closes what was opened at an address, once; gives the memory that has no addresses any more.
    pub(crate) fn close(&mut self, address: u64) -> Outcome<Option<PieceId>> {
        let found = self.shared.opened.iter().position(|of| of.pointers.contains_key(&address));
        let at = found.ok_or(CUresult::INVALID_VALUE)?;
        let pointers = &mut self.shared.opened[at].pointers;
        if let Some(opens) = pointers.get_mut(&address) {
            *opens -= 1;
            if *opens > 0 {
                return Ok(None);
            }
        }
        pointers.remove(&address);
        let is_over = pointers.is_empty();
        self.remove(address, None);
        Ok(is_over.then(|| self.end(at)))
    }

    /// Closes everything that was opened in a context.
    pub(super) fn close_all(&mut self, home: Home) -> Vec<PieceId> {
        let mut gone = Vec::new();
        while let Some(at) = self.shared.opened.iter().position(|of| of.home == home) {
            gone.push(self.end(at));
        }
        gone
    }

    fn end(&mut self, at: usize) -> PieceId {
        let Opened { start, bytes, piece, .. } = self.shared.opened.swap_remove(at);
        // At worst the addresses go on showing what was there, and nobody has them.
        if self.device.restore(start..start + bytes).is_some() {
            self.device.extents().give(start, bytes);
        }
        piece
    }
}
