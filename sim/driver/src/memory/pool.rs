//! Pools of stream-ordered memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cuda_sys::{CUmemPool_attribute as Attribute, CUresult};
use sim_kernel::{Bytes, PoolId, PoolState};

use super::host_pool::{HostPool, free_of_host_pool};
use crate::address::{Home, Kind};
use crate::device::Device;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};
use crate::work::Lane;

/// The device of a pool of host memory (`CU_DEVICE_INVALID`).
const NO_DEVICE: i32 = -2;

/// A pool.
#[derive(Debug)]
pub(crate) struct Pool {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The ordinal of its device.
    pub(crate) device: i32,
    /// What the machine calls it.
    pub(crate) id: PoolId,
    /// Whether other processes can import it.
    pub(crate) is_shareable: bool,
    /// Whether it is another process', which allocates from it alone.
    pub(crate) is_imported: bool,
    /// What it holds, if it is one of host memory.
    pub(crate) host: Option<HostPool>,
    /// Whether it is its device's own, which cannot be destroyed.
    is_default: bool,
    /// Which freed memory may be used again; kept, not acted on: what the stream itself freed, or what its stream has
    /// come to, always may.
    reuse: [AtomicBool; 3],
}

/// The pools that a device names: the default one, which is made when it is first asked for, and the current one.
#[derive(Debug, Default)]
pub(crate) struct DevicePools(Mutex<Named>);

#[derive(Debug, Default)]
struct Named {
    default: Option<Arc<Pool>>,
    current: Option<Arc<Pool>>,
}

impl DevicePools {
    /// The default pool of a device.
    pub(crate) fn default_of(driver: &Driver, device: &Device) -> Outcome<Arc<Pool>> {
        let mut named = lock(&device.pools.0);
        if let Some(known) = &named.default {
            return Ok(Arc::clone(known));
        }
        let made = Pool::default(driver, device)?;
        named.default = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The pool that `cuMemAllocAsync` takes memory from.
    pub(crate) fn current_of(driver: &Driver, device: &Device) -> Outcome<Arc<Pool>> {
        let current = lock(&device.pools.0).current.clone();
        current.map_or_else(|| Self::default_of(driver, device), Ok)
    }

    /// Makes a pool of this device its current one.
    pub(crate) fn set_current(device: &Device, pool: Arc<Pool>) -> Outcome {
        if pool.device != device.ordinal || pool.is_imported {
            return Err(CUresult::INVALID_VALUE);
        }
        lock(&device.pools.0).current = Some(pool);
        Ok(())
    }

    /// A pool is gone: where it was current, the default one is.
    fn forget(&self, handle: usize) {
        lock(&self.0).current.take_if(|current| current.handle == handle);
    }
}

impl Pool {
    /// Creates a pool that reserves at most so many bytes.
    pub(crate) fn create(
        driver: &Driver,
        device: &Device,
        most: Option<Bytes>,
        is_shareable: bool,
    ) -> Outcome<Arc<Self>> {
        let id = driver.client.create_pool(device.description.index, most).map_err(code)?;
        Ok(driver.pools.insert_with(|handle| Self { is_shareable, ..Self::new(handle, device, id) }))
    }

    fn default(driver: &Driver, device: &Device) -> Outcome<Arc<Self>> {
        let id = driver.client.create_pool(device.description.index, None).map_err(code)?;
        Ok(driver.pools.insert_with(|handle| Self { is_default: true, ..Self::new(handle, device, id) }))
    }

    /// Takes in a pool of another process.
    pub(crate) fn import(driver: &Driver, device: &Device, id: PoolId) -> Arc<Self> {
        driver.pools.insert_with(|handle| Self { is_imported: true, ..Self::new(handle, device, id) })
    }

    /// Creates a pool of host memory, which holds at most so many bytes. The machine does not know of it.
    pub(crate) fn of_host(driver: &Driver, most: Option<Bytes>, is_default: bool) -> Arc<Self> {
        driver.pools.insert_with(|handle| Self {
            handle,
            device: NO_DEVICE,
            id: PoolId(0),
            is_shareable: false,
            is_imported: false,
            host: Some(HostPool::new(most)),
            is_default,
            reuse: [(); 3].map(|()| AtomicBool::new(true)),
        })
    }

    fn new(handle: usize, device: &Device, id: PoolId) -> Self {
        let reuse = [(); 3].map(|()| AtomicBool::new(true));
        let (is_shareable, is_imported, is_default) = (false, false, false);
        Self { handle, device: device.ordinal, id, is_shareable, is_imported, host: None, is_default, reuse }
    }

    /// The pool of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.pools.get(handle).ok_or(CUresult::INVALID_VALUE)
    }

    /// Destroys a pool; what is allocated from it stays until it is freed.
    pub(crate) fn destroy(driver: &Driver, handle: usize) -> Outcome {
        let pool = Self::of(driver, handle)?;
        if pool.is_default {
            return Err(CUresult::INVALID_VALUE);
        }
        driver.pools.remove(handle).ok_or(CUresult::INVALID_VALUE)?;
        if pool.is_imported {
            return Ok(());
        }
        if pool.host.is_some() {
            driver.host_memory.pools.forget(handle);
            return Ok(());
        }
        driver.device(pool.device)?.pools.forget(handle);
        driver.client.destroy_pool(pool.id).map_err(code)
    }

    /// Gives back what is not used, but keeps at least so many bytes.
    pub(crate) fn trim(&self, driver: &Driver, keep: u64) -> Outcome {
        match self.host {
            // It keeps nothing.
            Some(_) => Ok(()),
            None => driver.client.trim_pool(self.id, Bytes(keep)).map_err(code),
        }
    }

    /// What it holds.
    pub(crate) fn state(&self, driver: &Driver) -> Outcome<PoolState> {
        match &self.host {
            Some(host) => Ok(host.state()),
            None => driver.client.pool(self.id).map_err(code),
        }
    }

    /// Says what it keeps at a synchronisation.
    pub(crate) fn set_threshold(&self, driver: &Driver, bytes: u64) -> Outcome {
        match &self.host {
            Some(host) => host.change(|state| state.threshold = Bytes(bytes)),
            None => driver.client.set_threshold(self.id, Bytes(bytes)).map_err(code)?,
        }
        Ok(())
    }

    /// Begins its peaks anew.
    pub(crate) fn reset_peaks(&self, driver: &Driver, reserved: bool, used: bool) -> Outcome {
        let Some(host) = &self.host else {
            return driver.client.reset_peaks(self.id, reserved, used).map_err(code);
        };
        host.change(|state| {
            if reserved {
                state.reserved_peak = state.reserved;
            }
            if used {
                state.used_peak = state.used;
            }
        });
        Ok(())
    }

    /// The switch of an attribute that is one.
    pub(crate) fn switch(&self, attribute: Attribute) -> Option<&AtomicBool> {
        let index = match attribute {
            Attribute::REUSE_FOLLOW_EVENT_DEPENDENCIES => 0,
            Attribute::REUSE_ALLOW_OPPORTUNISTIC => 1,
            Attribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => 2,
            _ => return None,
        };
        Some(&self.reuse[index])
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(switch: &AtomicBool) -> bool {
        switch.load(Ordering::Acquire)
    }
}

/// Allocates from a pool for a stream; in a capture it makes a node of the graph. The address space stays locked from the
/// machine's answer to the entry in the table, as for other memory.
pub(crate) fn allocate_from_pool(driver: &Driver, pool: &Pool, lane: &Lane, bytes: usize) -> Outcome<u64> {
    if pool.is_imported {
        return Err(CUresult::INVALID_VALUE);
    }
    if let Some(host) = &pool.host {
        lane.refuse_capture(driver)?;
        return host.allocate(driver, pool.handle, bytes);
    }
    let captured = lane.captured(|graph| graph.allocate(driver, pool.device, bytes))?;
    if let Some(address) = captured {
        return Ok(address);
    }
    let mut space = lock(&driver.space);
    let placed = driver.client.allocate_from_pool(pool.id, lane.id, Bytes(bytes as u64)).map_err(code)?;
    let home = Home::Pool { handle: pool.handle, device: pool.device };
    if let Some(address) = space.insert_pooled(&placed, home) {
        return Ok(address);
    }
    driver.client.free(placed.placement.id).map_err(code)?;
    Err(CUresult::OUT_OF_MEMORY)
}

/// Frees memory of a pool when the stream comes to it; in a capture it makes a node of the graph, of which only memory of
/// graphs can be freed. Other memory is freed as `cuMemFree` does, after waiting for the stream, where a real driver does
/// not wait.
pub(crate) fn free_in_stream(driver: &Driver, lane: &Lane, address: u64) -> Outcome {
    if lane.captured(|graph| Ok((graph.free(driver, address)?, ())))?.is_some() {
        return Ok(());
    }
    let found = lock(&driver.space).starting_at(address).map(|allocation| (allocation.home, allocation.kind));
    let Some((home, kind)) = found else { return free_of_host_pool(driver, address) };
    if kind == Kind::Opened {
        return super::free(driver, &lane.context, address);
    }
    match home {
        Home::Context(_) => return super::free(driver, &lane.context, address),
        Home::Graph { .. } => return super::free_of_graph(driver, address, Some(lane.id)),
        Home::Pool { .. } => {}
    }
    let mut space = lock(&driver.space);
    // Looked up again: another thread may have freed it meanwhile.
    let allocation = space.starting_at(address).ok_or(CUresult::INVALID_VALUE)?;
    driver.client.free_in_stream(allocation.id, lane.id).map_err(code)?;
    space.remove(address, None);
    drop(space);
    // So that the next wait asks the machine, where pools are trimmed.
    lane.context.note_work();
    Ok(())
}
