//! Memory of the machine: who holds what, on which device, in what granularity.

mod allocation;
mod graphs;
mod ledger;
mod managed;
mod physical;
mod pools;
mod residency;
mod slabs;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    AllocationId, Bytes, ContextId, DeviceDescription, DeviceIndex, MemoryInfo, ProcessId, Refusal, SlabId,
};
use allocation::Allocation;
use graphs::Graphs;
pub(crate) use ledger::Ledger;
use physical::Pieces;
use pools::Pools;
use residency::Residency;
use slabs::Slabs;

/// Memory of every device.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    devices: Vec<DeviceMemory>,
    contexts: BTreeMap<ContextId, ContextMemory>,
    allocations: BTreeMap<AllocationId, Allocation>,
    pools: Pools,
    graphs: Graphs,
    pieces: Pieces,
    residency: Residency,
    last_allocation: u64,
    last_slab: u64,
}

/// Memory of one device.
#[derive(Clone, Debug)]
struct DeviceMemory {
    total: Bytes,
    reserved: Bytes,
    chunk: Bytes,
    context_overhead: Bytes,
    on_demand: bool,
    ledger: Ledger,
}

/// Memory of one context.
#[derive(Clone, Debug)]
struct ContextMemory {
    process: ProcessId,
    device: DeviceIndex,
    slabs: Slabs,
    allocations: BTreeSet<AllocationId>,
}

impl DeviceMemory {
    fn free(&self) -> Bytes {
        self.total - self.reserved - self.ledger.resident.now
    }
}

impl Memory {
    pub(crate) fn new(devices: &[DeviceDescription]) -> Self {
        let devices = devices.iter().map(|device| DeviceMemory {
            total: device.card.total,
            reserved: device.card.reserved,
            chunk: device.card.chunk,
            context_overhead: device.card.context_overhead,
            on_demand: device.card.concurrent_managed_access,
            ledger: Ledger::default(),
        });
        Self {
            devices: devices.collect(),
            contexts: BTreeMap::new(),
            allocations: BTreeMap::new(),
            pools: Pools::default(),
            graphs: Graphs::default(),
            pieces: Pieces::default(),
            residency: Residency::default(),
            last_allocation: 0,
            last_slab: 0,
        }
    }

    /// Memory of a device, or nothing when there is no such device.
    pub(crate) fn info(&self, device: DeviceIndex) -> Option<MemoryInfo> {
        let memory = self.devices.get(position(device))?;
        let used = memory.ledger.resident.now;
        Some(MemoryInfo { total: memory.total, reserved: memory.reserved, used, free: memory.free() })
    }

    /// The account of a device, or nothing when there is no such device.
    pub(crate) fn ledger(&self, device: DeviceIndex) -> Option<&Ledger> {
        self.devices.get(position(device)).map(|memory| &memory.ledger)
    }

    /// A context begins: takes its overhead.
    ///
    /// # Errors
    /// `InvalidDevice`, `OutOfMemory`.
    pub(crate) fn open_context(
        &mut self,
        context: ContextId,
        process: ProcessId,
        device: DeviceIndex,
    ) -> Result<(), Refusal> {
        let memory = self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        let (overhead, slabs) = (memory.context_overhead, Slabs::default());
        let taken = self.take(device, process, overhead);
        let ledger = &mut self.devices[position(device)].ledger;
        if taken.is_err() {
            ledger.refused += 1;
        }
        taken?;
        ledger.open(process, overhead);
        self.contexts.insert(context, ContextMemory { process, device, slabs, allocations: BTreeSet::new() });
        Ok(())
    }

    /// A context ends: everything it holds comes back.
    pub(crate) fn close_context(&mut self, context: ContextId) {
        let Some(held) = self.contexts.get(&context) else { return };
        let (process, device) = (held.process, held.device);
        for allocation in held.allocations.clone() {
            self.release(allocation);
        }
        self.contexts.remove(&context);
        let memory = &mut self.devices[position(device)];
        let overhead = memory.context_overhead;
        memory.ledger.close(process, overhead);
        memory.ledger.give_back(process, overhead);
    }

    /// Takes device memory for a process; unused memory of its pools makes room, then managed memory.
    fn take(&mut self, device: DeviceIndex, process: ProcessId, bytes: Bytes) -> Result<(), Refusal> {
        self.shrink_pools(process, device, bytes);
        self.make_room(device, bytes)?;
        self.devices[position(device)].ledger.take(process, bytes);
        Ok(())
    }

    fn next_allocation(&mut self) -> AllocationId {
        self.last_allocation += 1;
        AllocationId(self.last_allocation)
    }

    fn next_slab(&mut self) -> SlabId {
        self.last_slab += 1;
        SlabId(self.last_slab)
    }
}

/// Position of a device in a list of all devices.
fn position(device: DeviceIndex) -> usize {
    usize::try_from(device.0).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
