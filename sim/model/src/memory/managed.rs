//! Managed memory: device memory only where a device used it, and the first to make room.

use super::allocation::Backing;
use super::ledger::Class;
use super::residency::Block;
use super::{Memory, position};
use crate::{AllocationId, Bytes, DeviceIndex, Location, ProcessId, Refusal};

/// Granularity of the tail of an allocation; everything before it moves in whole chunks.
const PAGE: Bytes = Bytes::from_kib(64);

impl Memory {
    /// Brings a range of a managed allocation to a device or to the host. What finds no room stays on the host.
    ///
    /// # Errors
    /// `InvalidValue` when the process has no managed allocation of that name or the range is not inside of it;
    /// `InvalidDevice`.
    pub(crate) fn migrate(
        &mut self,
        process: ProcessId,
        id: AllocationId,
        (offset, bytes): (Bytes, Bytes),
        to: Location,
    ) -> Result<(), Refusal> {
        let allocation = self.allocations.get(&id).filter(|held| held.charge.process == process);
        let allocation =
            *allocation.filter(|held| held.charge.class == Class::Managed).ok_or(Refusal::InvalidValue)?;
        let end = offset.checked_add(bytes).filter(|end| *end <= allocation.charge.bytes);
        let end = end.ok_or(Refusal::InvalidValue)?;
        if let Location::Device(device) = to
            && self.devices.get(position(device)).is_none()
        {
            return Err(Refusal::InvalidDevice);
        }
        if bytes == Bytes::ZERO || allocation.backing != Backing::Pages {
            return Ok(());
        }
        let chunk = self.devices[position(allocation.device)].chunk;
        let blocks = offset.0 / chunk.0..end.0.div_ceil(chunk.0);
        match to {
            Location::Host => {
                for block in blocks {
                    self.page_out((id, block));
                }
            }
            Location::Device(device) => {
                // Of a range larger than the device the first blocks would only be pushed out by the last.
                let most = self.devices[position(device)].total.0 / chunk.0;
                let first = blocks.end.saturating_sub(most).max(blocks.start);
                for block in first..blocks.end {
                    let size = block_size(allocation.charge.bytes, chunk, block);
                    self.page_in((id, block), device, size);
                }
            }
        }
        Ok(())
    }

    /// Makes room for so many bytes on a device by moving the longest unused managed memory to the host.
    ///
    /// # Errors
    /// `OutOfMemory`, with nothing moved, when even that is not enough.
    pub(super) fn make_room(&mut self, device: DeviceIndex, bytes: Bytes) -> Result<(), Refusal> {
        let memory = &self.devices[position(device)];
        if bytes > memory.free() + memory.ledger.managed_resident {
            return Err(Refusal::OutOfMemory);
        }
        while self.devices[position(device)].free() < bytes {
            let oldest = self.residency.oldest(device).ok_or(Refusal::OutOfMemory)?;
            self.page_out(oldest);
        }
        Ok(())
    }

    /// Moves every block of an allocation to the host and says how much device memory that gave back.
    pub(super) fn page_out_all(&mut self, id: AllocationId) -> Bytes {
        let mut returned = Bytes::ZERO;
        for block in self.residency.blocks_of(id) {
            returned += self.page_out(block);
        }
        returned
    }

    fn page_in(&mut self, block: Block, device: DeviceIndex, bytes: Bytes) {
        match self.residency.get(block) {
            Some(resident) if resident.device == device => self.residency.insert(block, device, bytes),
            _ => {
                self.page_out(block);
                if self.make_room(device, bytes).is_ok() {
                    self.residency.insert(block, device, bytes);
                    self.devices[position(device)].ledger.page_in(bytes);
                }
            }
        }
    }

    fn page_out(&mut self, block: Block) -> Bytes {
        let Some(resident) = self.residency.remove(block) else { return Bytes::ZERO };
        self.devices[position(resident.device)].ledger.page_out(resident.bytes);
        resident.bytes
    }
}

/// Bytes of device memory that a block of an allocation takes.
fn block_size(allocation: Bytes, chunk: Bytes, block: u64) -> Bytes {
    let rest = allocation.saturating_sub(Bytes(block * chunk.0));
    rest.round_up(PAGE).map_or(chunk, |rest| rest.min(chunk))
}
