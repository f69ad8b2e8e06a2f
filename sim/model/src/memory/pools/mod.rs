//! Pools of stream-ordered memory: what they reserve, what they reuse, and when they give it back.
//!
//! A pool takes device memory in slabs and serves allocations from them. A freed place can be used again by the stream
//! that freed it at once, by others when that stream has come to the free. Whole unused slabs go back to the device at
//! a synchronisation, as far as the pool holds more than its threshold, and whenever the process needs the room.

mod growth;

use std::collections::BTreeMap;

use super::allocation::{Allocation, Backing, Home};
use super::ledger::{Charge, Class, Gauge};
use super::{Memory, Slabs, position, slabs};
use crate::{
    AllocationId, Bytes, DeviceIndex, Placement, PoolId, PoolPlacement, PoolState, ProcessId, Refusal,
    SlabId, SlabPlace, StreamId, Wait,
};

/// What a pool takes at least when it grows, where there is so much.
const STEP: Bytes = Bytes::from_mib(32);

/// Every pool, and what their owners have not been told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    all: BTreeMap<PoolId, Pool>,
    gone: BTreeMap<ProcessId, Vec<SlabId>>,
    last: u64,
}

#[derive(Clone, Debug)]
struct Pool {
    process: ProcessId,
    device: DeviceIndex,
    /// The most it may reserve.
    most: Option<Bytes>,
    threshold: Bytes,
    slabs: Slabs,
    reserved: Gauge,
    used: Gauge,
    pending: Vec<Pending>,
    /// Destroyed by its owner, and gone once nothing of it is used.
    retiring: bool,
}

/// A freed place whose stream has not come to the free yet.
#[derive(Clone, Debug)]
struct Pending {
    stream: StreamId,
    wait: Wait,
    place: SlabPlace,
    bytes: Bytes,
}

impl Memory {
    /// Creates an empty pool on a device.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub(crate) fn create_pool(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        most: Option<Bytes>,
    ) -> Result<PoolId, Refusal> {
        self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        self.pools.last += 1;
        let id = PoolId(self.pools.last);
        let pool = Pool {
            process,
            device,
            most,
            threshold: Bytes::ZERO,
            slabs: Slabs::default(),
            reserved: Gauge::default(),
            used: Gauge::default(),
            pending: Vec::new(),
            retiring: false,
        };
        self.pools.all.insert(id, pool);
        Ok(id)
    }

    /// Destroys a pool once everything allocated from it is free.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn destroy_pool(&mut self, process: ProcessId, id: PoolId) -> Result<(), Refusal> {
        self.owned_pool(process, id)?.retiring = true;
        self.trim(id, Bytes::ZERO);
        Ok(())
    }

    /// Allocates from a pool for a stream, which is the caller's to have checked.
    ///
    /// # Errors
    /// `InvalidHandle`, `InvalidValue` for a size of zero, `OutOfMemory`.
    pub(crate) fn allocate_from_pool(
        &mut self,
        process: ProcessId,
        id: PoolId,
        stream: StreamId,
        bytes: Bytes,
    ) -> Result<PoolPlacement, Refusal> {
        let device = self.owned_pool(process, id)?.device;
        if bytes == Bytes::ZERO {
            return Err(Refusal::InvalidValue);
        }
        let found = self.place_in_pool(id, stream, bytes);
        let ledger = &mut self.devices[position(device)].ledger;
        if found.is_err() {
            ledger.refused += 1;
        }
        let (place, taken) = found?;
        let charge = Charge { process, bytes, class: Class::Pooled };
        ledger.charge(charge);
        let allocation = self.next_allocation();
        let backing = Backing::Slab(place);
        self.allocations.insert(allocation, Allocation { home: Home::Pool(id), device, charge, backing });
        let slab_bytes = self.owned_pool(process, id)?.slabs.size(place.slab).unwrap_or_default();
        let gone = self.pools.gone.remove(&process).unwrap_or_default();
        let pitch = Bytes::ZERO;
        let placement = Placement { id: allocation, bytes, taken, pitch, slab: Some(place) };
        Ok(PoolPlacement { placement, slab_bytes, gone })
    }

    /// Frees memory of a pool when its stream comes to it.
    ///
    /// # Errors
    /// `InvalidValue` when the process has no such allocation of a pool.
    pub(crate) fn free_in_stream(
        &mut self,
        process: ProcessId,
        id: AllocationId,
        stream: StreamId,
        wait: Wait,
    ) -> Result<(), Refusal> {
        let held = self.allocations.get(&id).filter(|held| held.charge.process == process);
        let Some(Allocation { home: Home::Pool(pool), device, charge, backing: Backing::Slab(place) }) =
            held.copied()
        else {
            return Err(Refusal::InvalidValue);
        };
        self.allocations.remove(&id);
        self.devices[position(device)].ledger.refund(charge);
        if let Some(pool) = self.pools.all.get_mut(&pool) {
            let bytes = slabs::footprint(charge.bytes).unwrap_or(charge.bytes);
            pool.used.fall(bytes);
            pool.pending.push(Pending { stream, wait, place, bytes });
        }
        Ok(())
    }

    /// What a pool holds.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn pool(&self, process: ProcessId, id: PoolId) -> Result<PoolState, Refusal> {
        let pool = self.pools.all.get(&id).filter(|pool| pool.process == process && !pool.retiring);
        let Pool { reserved, used, threshold, .. } = pool.ok_or(Refusal::InvalidHandle)?;
        Ok(PoolState {
            reserved: reserved.now,
            reserved_peak: reserved.peak,
            used: used.now,
            used_peak: used.peak,
            threshold: *threshold,
        })
    }

    /// Says what a pool keeps at a synchronisation.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn set_threshold(
        &mut self,
        process: ProcessId,
        id: PoolId,
        bytes: Bytes,
    ) -> Result<(), Refusal> {
        self.owned_pool(process, id)?.threshold = bytes;
        Ok(())
    }

    /// Makes the peaks what is held now: of what is reserved, of what is used.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn reset_peaks(
        &mut self,
        process: ProcessId,
        id: PoolId,
        (reserved, used): (bool, bool),
    ) -> Result<(), Refusal> {
        let pool = self.owned_pool(process, id)?;
        for (gauge, _) in
            [(&mut pool.reserved, reserved), (&mut pool.used, used)].into_iter().filter(|of| of.1)
        {
            gauge.peak = gauge.now;
        }
        Ok(())
    }

    /// Gives unused slabs back as long as at least `keep` stays reserved.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn trim_pool(&mut self, process: ProcessId, id: PoolId, keep: Bytes) -> Result<(), Refusal> {
        self.owned_pool(process, id)?;
        self.trim(id, keep);
        Ok(())
    }

    /// Takes note of the frees that streams have come to.
    pub(crate) fn settle_pools(&mut self, is_complete: impl Fn(&Wait) -> bool) {
        for pool in self.pools.all.values_mut().filter(|pool| !pool.pending.is_empty()) {
            for done in pool.pending.extract_if(.., |pending| is_complete(&pending.wait)) {
                pool.slabs.release(done.place, done.bytes);
            }
        }
        self.drop_retired();
    }

    /// A process has synchronised: its pools give back what exceeds their thresholds.
    pub(crate) fn synchronised(&mut self, process: ProcessId) {
        let owned = self.pools.all.iter().filter(|(_, pool)| pool.process == process);
        for (id, threshold) in owned.map(|(id, pool)| (*id, pool.threshold)).collect::<Vec<_>>() {
            self.trim(id, threshold);
        }
    }

    /// A process is gone with its pools.
    pub(crate) fn close_pools(&mut self, process: ProcessId) {
        let home = |held: &Allocation| matches!(held.home, Home::Pool(_)) && held.charge.process == process;
        let held: Vec<_> =
            self.allocations.iter().filter(|(_, held)| home(held)).map(|(id, _)| *id).collect();
        for allocation in held {
            self.release(allocation);
        }
        for pool in self.pools.all.values_mut().filter(|pool| pool.process == process) {
            pool.retiring = true;
        }
        self.settle_of(process);
        self.pools.gone.remove(&process);
    }

    /// Drops what a dead process' streams will never come to.
    fn settle_of(&mut self, process: ProcessId) {
        for pool in self.pools.all.values_mut().filter(|pool| pool.process == process) {
            for pending in pool.pending.drain(..) {
                pool.slabs.release(pending.place, pending.bytes);
            }
        }
        self.drop_retired();
    }

    fn owned_pool(&mut self, process: ProcessId, id: PoolId) -> Result<&mut Pool, Refusal> {
        let pool = self.pools.all.get_mut(&id).filter(|pool| pool.process == process && !pool.retiring);
        pool.ok_or(Refusal::InvalidHandle)
    }
}
