//! `cuMemCreate`: memory that lives while it has a handle or a mapping.

use super::{Attempt, Kind, any};
use crate::medley::MIB;
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// The granularity of physical memory.
const CHUNK: u64 = 2 * MIB;

#[derive(Default)]
pub(super) struct Physical(Vec<Piece>);

struct Piece {
    bytes: u64,
    /// Handles to be released: the same as often as it was retained.
    handles: Vec<u64>,
    /// Where it is mapped.
    mappings: Vec<u64>,
}

impl Kind for Physical {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let bytes = random.bytes().next_multiple_of(CHUNK);
        let (code, handle) = thread.call(&format!("cuMemCreate out {bytes} in=1,1 0"));
        if let [handle] = handle[..] {
            let mut piece = Piece { bytes, handles: vec![handle], mappings: Vec::new() };
            for _ in 0..random.below(3) {
                piece.map(thread);
            }
            piece.change_handles(thread, random);
            self.0.push(piece);
        }
        Attempt::of(code, bytes)
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let mut piece = any(&mut self.0, random);
        for address in piece.mappings.drain(..) {
            thread.does(&format!("cuMemUnmap {address} {}", piece.bytes));
            thread.does(&format!("cuMemAddressFree {address} {}", piece.bytes));
        }
        for handle in piece.handles.drain(..) {
            thread.does(&format!("cuMemRelease {handle}"));
        }
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Piece {
    fn map(&mut self, thread: &mut Thread<'_>) {
        let (bytes, handle) = (self.bytes, self.handles[0]);
        let address = thread.does(&format!("cuMemAddressReserve out {bytes} 0 0 0"))[0];
        thread.does(&format!("cuMemMap {address} {bytes} 0 {handle} 0"));
        self.mappings.push(address);
    }

    /// What is mapped lives on without a handle, and can have new ones.
    fn change_handles(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let Some(address) = self.mappings.first() else { return };
        if random.one_in(2) {
            let handle = self.handles.remove(0);
            thread.does(&format!("cuMemRelease {handle}"));
        }
        if random.one_in(3) {
            let handle =
                thread.does(&format!("cuMemRetainAllocationHandle out {}", address + self.bytes / 2))[0];
            self.handles.push(handle);
        }
    }
}
