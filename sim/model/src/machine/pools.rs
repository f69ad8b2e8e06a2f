//! Stream-ordered memory of the machine.

use super::Machine;
use crate::{
    AllocationId, Bytes, DeviceIndex, PoolId, PoolPlacement, PoolState, ProcessId, Refusal, StreamId,
};

impl Machine {
    /// Creates a pool on a device, which reserves `most` bytes at most. It lives until it is destroyed or the process
    /// ends: it is no context's.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn create_pool(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        most: Option<Bytes>,
    ) -> Result<PoolId, Refusal> {
        self.memory.create_pool(process, device, most)
    }

    /// Destroys a pool; its memory comes back when the last of its allocations is free.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn destroy_pool(&mut self, process: ProcessId, pool: PoolId) -> Result<(), Refusal> {
        self.memory.destroy_pool(process, pool)
    }

    /// Allocates from a pool for use in a stream.
    ///
    /// # Errors
    /// `InvalidHandle` for an unknown pool or stream, `InvalidValue` for a size of zero, `OutOfMemory`.
    pub fn allocate_from_pool(
        &mut self,
        process: ProcessId,
        pool: PoolId,
        stream: StreamId,
        bytes: Bytes,
    ) -> Result<PoolPlacement, Refusal> {
        self.timeline.wait_for_stream(process, stream)?;
        self.memory.allocate_from_pool(process, pool, stream, bytes)
    }

    /// Frees memory of a pool when the stream comes to it.
    ///
    /// # Errors
    /// `InvalidHandle` for an unknown stream, `InvalidValue` for what is no allocation of a pool of this process.
    pub fn free_in_stream(
        &mut self,
        process: ProcessId,
        allocation: AllocationId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        let wait = self.timeline.wait_for_stream(process, stream)?;
        self.memory.free_in_stream(process, allocation, stream, wait)?;
        let timeline = &self.timeline;
        self.memory.settle_pools(|wait| timeline.is_complete(wait));
        Ok(())
    }

    /// What a pool holds.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn pool(&self, process: ProcessId, pool: PoolId) -> Result<PoolState, Refusal> {
        self.memory.pool(process, pool)
    }

    /// Says how much a pool keeps at a synchronisation.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn set_threshold(&mut self, process: ProcessId, pool: PoolId, bytes: Bytes) -> Result<(), Refusal> {
        self.memory.set_threshold(process, pool, bytes)
    }

    /// Begins the peaks of a pool anew: of what is reserved, of what is used.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn reset_peaks(
        &mut self,
        process: ProcessId,
        pool: PoolId,
        (reserved, used): (bool, bool),
    ) -> Result<(), Refusal> {
        self.memory.reset_peaks(process, pool, (reserved, used))
    }

    /// Gives what a pool does not use back, as long as it keeps at least so many bytes.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn trim_pool(&mut self, process: ProcessId, pool: PoolId, keep: Bytes) -> Result<(), Refusal> {
        self.memory.trim_pool(process, pool, keep)
    }

    /// The process waited for a stream, an event or a context: its pools give back what exceeds their thresholds.
    pub fn synchronised(&mut self, process: ProcessId) {
        self.memory.synchronised(process);
    }
}
