//! How pools grow, serve, shrink and end.

use super::super::physical::Origin;
use super::super::{Memory, position, slabs};
use super::{Pending, Pool, STEP};
use crate::{Bytes, DeviceIndex, PoolId, ProcessId, Refusal, SlabId, SlabPlace, StreamId};

impl Pool {
    /// A place among those that the same stream freed: everything before the free is before the new use, too.
    fn reuse(&mut self, stream: StreamId, bytes: Bytes) -> Option<SlabPlace> {
        let fits = |(_, held): &(usize, &Pending)| held.stream == stream && held.bytes >= bytes;
        let (at, _) = self.pending.iter().enumerate().filter(fits).min_by_key(|(_, held)| held.bytes)?;
        let held = &mut self.pending[at];
        let place = held.place;
        if held.bytes == bytes {
            self.pending.swap_remove(at);
        } else {
            held.place.offset += bytes;
            held.bytes -= bytes;
        }
        Some(place)
    }

    fn is_over(&self) -> bool {
        self.retiring && self.used.now == Bytes::ZERO && self.pending.is_empty()
    }
}

impl Memory {
    /// Gives unused slabs of a process back until a device has so many bytes free, or there are none left.
    pub(in crate::memory) fn shrink_pools(&mut self, process: ProcessId, device: DeviceIndex, bytes: Bytes) {
        let owned =
            self.pools.all.iter().filter(|(_, pool)| pool.process == process && pool.device == device);
        for id in owned.map(|(id, _)| *id).collect::<Vec<_>>() {
            while self.devices[position(device)].free() < bytes && self.drop_slab(id, Bytes::ZERO) {}
        }
    }

    /// Gives the place of a freed allocation back to its pool.
    pub(in crate::memory) fn give_to_pool(&mut self, id: PoolId, place: SlabPlace, bytes: Bytes) {
        if let Some(pool) = self.pools.all.get_mut(&id) {
            let footprint = slabs::footprint(bytes).unwrap_or(bytes);
            pool.used.fall(footprint);
            pool.slabs.release(place, footprint);
        }
        self.drop_retired();
    }

    /// Finds a place in a pool, and says how much device memory that took.
    pub(super) fn place_in_pool(
        &mut self,
        id: PoolId,
        stream: StreamId,
        bytes: Bytes,
    ) -> Result<(SlabPlace, Bytes), Refusal> {
        let footprint = slabs::footprint(bytes).ok_or(Refusal::OutOfMemory)?;
        let pool = self.pools.all.get_mut(&id).ok_or(Refusal::InvalidHandle)?;
        let mut found = pool.reuse(stream, footprint).or_else(|| pool.slabs.place(footprint));
        let mut taken = Bytes::ZERO;
        if found.is_none() {
            taken = self.grow_pool(id, footprint)?;
            found = self.pools.all.get_mut(&id).and_then(|pool| pool.slabs.place(footprint));
        }
        if let Some(pool) = self.pools.all.get_mut(&id) {
            pool.used.rise(footprint);
        }
        // A new slab holds the request that it was made for, so this is never a refusal.
        found.map(|place| (place, taken)).ok_or(Refusal::OutOfMemory)
    }

    /// Takes a slab that holds so many bytes: of a whole step, or just large enough where there is no room for that.
    fn grow_pool(&mut self, id: PoolId, bytes: Bytes) -> Result<Bytes, Refusal> {
        let pool = self.pools.all.get(&id).ok_or(Refusal::InvalidHandle)?;
        let (process, device) = (pool.process, pool.device);
        let room = pool.most.map_or(Bytes(u64::MAX), |most| most.saturating_sub(pool.reserved.now));
        let least = bytes.round_up(self.devices[position(device)].chunk).ok_or(Refusal::OutOfMemory)?;
        let fits = [least.max(STEP), least].into_iter().filter(|size| *size <= room);
        let size = fits.into_iter().find(|size| self.take(device, process, *size).is_ok());
        let size = size.ok_or(Refusal::OutOfMemory)?;
        self.devices[position(device)].ledger.reserve(process, size);
        let slab = self.next_slab();
        if let Some(pool) = self.pools.all.get_mut(&id) {
            pool.slabs.grow(slab, size);
            pool.reserved.rise(size);
        }
        Ok(size)
    }

    /// The device of a pool, whosever it is.
    ///
    /// # Errors
    /// `InvalidValue` for a pool that is gone.
    pub(crate) fn device_of_pool(&self, id: PoolId) -> Result<DeviceIndex, Refusal> {
        let pool = self.pools.all.get(&id).filter(|pool| !pool.retiring);
        pool.map(|pool| pool.device).ok_or(Refusal::InvalidValue)
    }

    /// Bytes of a slab of a pool.
    pub(in crate::memory) fn slab_of_pool(&self, id: PoolId, slab: SlabId) -> Option<Bytes> {
        self.pools.all.get(&id)?.slabs.size(slab)
    }

    pub(super) fn trim(&mut self, id: PoolId, keep: Bytes) {
        while self.drop_slab(id, keep) {}
        self.drop_retired();
    }

    /// Gives one unused slab back, if at least `keep` stays reserved without it.
    fn drop_slab(&mut self, id: PoolId, keep: Bytes) -> bool {
        let Some(pool) = self.pools.all.get_mut(&id) else { return false };
        let spare = pool.reserved.now.saturating_sub(keep);
        let Some((slab, size)) = pool.slabs.empty().find(|(_, size)| *size <= spare) else { return false };
        pool.slabs.shrink(slab);
        pool.reserved.fall(size);
        let (process, device) = (pool.process, pool.device);
        let ledger = &mut self.devices[position(device)].ledger;
        ledger.unreserve(process, size);
        self.return_memory(device, process, Origin::Slab(slab), size);
        self.pools.gone.entry(process).or_default().push(slab);
        true
    }

    /// Ends the pools that were destroyed and of which nothing is used any more.
    pub(super) fn drop_retired(&mut self) {
        let over: Vec<_> =
            self.pools.all.iter().filter(|(_, pool)| pool.is_over()).map(|(id, _)| *id).collect();
        for id in over {
            while self.drop_slab(id, Bytes::ZERO) {}
            self.pools.all.remove(&id);
        }
    }
}
