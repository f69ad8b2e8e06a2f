//! Memory that graphs allocate: addresses for good, and memory behind them from launch to free.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use cuda_sys::CUresult;
use sim_kernel::{Bytes, GraphMemory, StreamId};

use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// Addresses that allocation nodes of one graph give out, one after the other.
#[derive(Debug)]
pub(crate) struct GraphBlock {
    /// The first address.
    pub(crate) address: u64,
    /// How many there are.
    pub(crate) capacity: Bytes,
    /// The ordinal of the device that its memory is of.
    pub(crate) device: i32,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Whether the last node of its graph that has it allocates it: then it outlives a launch.
    is_open: bool,
    /// Whether another graph frees it.
    is_freed_elsewhere: bool,
}

/// The blocks of this process.
#[derive(Debug, Default)]
pub(crate) struct GraphBlocks {
    all: Mutex<HashMap<u64, Weak<GraphBlock>>>,
    /// Those that have memory after the launch that gave it to them.
    live: Mutex<HashMap<u64, Arc<GraphBlock>>>,
}

impl GraphBlock {
    /// Takes addresses for an allocation; no memory yet.
    pub(crate) fn reserve(driver: &Driver, device: i32, bytes: Bytes) -> Outcome<Arc<Self>> {
        driver.device(device)?;
        let (address, capacity) =
            lock(&driver.space).reserve_for_graph(bytes, device).ok_or(CUresult::OUT_OF_MEMORY)?;
        let capacity = Bytes(capacity);
        let block = Arc::new(Self { address, capacity, device, state: Mutex::default() });
        lock(&driver.graph_parts.blocks.all).insert(address, Arc::downgrade(&block));
        Ok(block)
    }

    /// The block that begins at an address.
    pub(crate) fn at(driver: &Driver, address: u64) -> Option<Arc<Self>> {
        lock(&driver.graph_parts.blocks.all).get(&address).and_then(Weak::upgrade)
    }

    /// A node allocates it.
    pub(crate) fn open(&self) {
        lock(&self.state).is_open = true;
    }

    /// A node of its own graph frees it; false where that cannot be.
    pub(crate) fn close_by_owner(&self) -> bool {
        let mut state = lock(&self.state);
        state.is_open && !state.is_freed_elsewhere && std::mem::replace(&mut state.is_open, false)
    }

    /// A node of another graph frees it; false where that cannot be.
    pub(crate) fn close_elsewhere(&self) -> bool {
        let mut state = lock(&self.state);
        state.is_freed_elsewhere |= state.is_open;
        state.is_open
    }

    /// Whether its graph can use it again.
    pub(crate) fn is_freed_by_owner(&self) -> bool {
        !lock(&self.state).is_open
    }

    /// Whether it has memory after a launch.
    pub(crate) fn is_live(&self, driver: &Driver) -> bool {
        lock(&driver.graph_parts.blocks.live).contains_key(&self.address)
    }

    /// A launch in a stream leaves it with memory.
    pub(crate) fn outlive(self: &Arc<Self>, driver: &Driver, stream: StreamId) -> Outcome {
        let device = driver.device(self.device)?.description.index;
        driver.client.keep_of_graph(device, stream, self.capacity).map_err(code)?;
        lock(&driver.graph_parts.blocks.live).insert(self.address, Arc::clone(self));
        Ok(())
    }
}

impl Drop for GraphBlock {
    fn drop(&mut self) {
        if let Ok(driver) = Driver::get() {
            lock(&driver.graph_parts.blocks.all).remove(&self.address);
            lock(&driver.space).remove(self.address, None);
        }
    }
}

/// Frees what outlived a launch, in a stream or at once; 1 for what did not.
pub(crate) fn free_of_graph(driver: &Driver, address: u64, stream: Option<StreamId>) -> Outcome {
    let block = lock(&driver.graph_parts.blocks.live).remove(&address).ok_or(CUresult::INVALID_VALUE)?;
    let device = driver.device(block.device)?.description.index;
    driver.client.free_of_graph(device, stream, block.capacity).map_err(code)
}

/// What this process has of a device for its graphs.
pub(crate) fn of_graphs(driver: &Driver, device: i32) -> Outcome<GraphMemory> {
    driver.client.graph_memory(driver.device(device)?.description.index).map_err(code)
}
