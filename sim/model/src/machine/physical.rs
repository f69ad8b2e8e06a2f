//! Physical memory of the machine that several processes may hold.

use super::Machine;
use crate::{AllocationId, Bytes, DeviceIndex, PieceId, PieceState, PoolId, ProcessId, Refusal, StoreRange};

impl Machine {
    /// Creates a piece of a device, or of the host (`None`), which the process holds. It needs no context and outlives
    /// every one.
    ///
    /// # Errors
    /// `InvalidDevice`, `InvalidValue` for what is no whole number of chunks, `OutOfMemory`.
    pub fn create_piece(
        &mut self,
        process: ProcessId,
        device: Option<DeviceIndex>,
        bytes: Bytes,
    ) -> Result<PieceState, Refusal> {
        self.memory.create_piece(process, device, bytes)
    }

    /// Lets others hold the memory of an allocation, with its neighbours in the same slab, and says where in that memory it
    /// is. When the allocation is freed, the memory stays with those who hold it.
    ///
    /// # Errors
    /// `InvalidValue` for what is no allocation of the process, and for managed memory.
    pub fn share(
        &mut self,
        process: ProcessId,
        allocation: AllocationId,
    ) -> Result<(PieceState, Bytes), Refusal> {
        self.memory.share(process, allocation)
    }

    /// The device of a pool, whosever it is.
    ///
    /// # Errors
    /// `InvalidValue` for a pool that is gone.
    pub fn device_of_pool(&self, pool: PoolId) -> Result<DeviceIndex, Refusal> {
        self.memory.device_of_pool(pool)
    }

    /// The process holds a piece once more, which it knows by a descriptor, or by name if it was shared so.
    ///
    /// # Errors
    /// `InvalidValue` for a piece that is gone.
    pub fn hold_piece(
        &mut self,
        process: ProcessId,
        piece: PieceId,
        by_name: bool,
    ) -> Result<PieceState, Refusal> {
        self.memory.hold_piece(process, piece, by_name)
    }

    /// The process holds a piece once less.
    ///
    /// # Errors
    /// `InvalidValue` when it does not hold it.
    pub fn drop_piece(&mut self, process: ProcessId, piece: PieceId) -> Result<(), Refusal> {
        self.memory.drop_piece(process, piece)
    }

    /// One more descriptor names, and keeps, a piece that the process holds.
    ///
    /// # Errors
    /// `InvalidValue` when it does not hold it.
    pub fn add_descriptor(&mut self, process: ProcessId, piece: PieceId) -> Result<(), Refusal> {
        self.memory.add_descriptor(process, piece)
    }

    /// A descriptor of a piece is gone from all processes.
    pub fn drop_descriptor(&mut self, piece: PieceId) {
        self.memory.drop_descriptor(piece);
    }

    /// Contents in the store that nobody needs any more, each told once.
    pub fn take_gone(&mut self) -> Vec<StoreRange> {
        self.memory.take_gone()
    }
}
