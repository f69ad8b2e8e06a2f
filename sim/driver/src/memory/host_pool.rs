//! Pools of host memory: no device gives anything for them, and they keep nothing that is free.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::{Bytes, PoolState};

use super::Pool;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// What a pool of host memory holds.
#[derive(Debug)]
pub(crate) struct HostPool {
    state: Mutex<PoolState>,
    most: Option<Bytes>,
}

/// Where host memory is: anywhere, or on the node of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostPlace {
    /// `CU_MEM_LOCATION_TYPE_HOST`
    Anywhere,
    /// `CU_MEM_LOCATION_TYPE_HOST_NUMA`, of a machine with one node
    OnlyNode,
}

/// The pools that places of the host name: the default one, which is made when it is first asked for, and the current one.
#[derive(Debug, Default)]
pub(crate) struct HostPools(Mutex<BTreeMap<(HostPlace, bool), Arc<Pool>>>);

/// Which of the two it is.
const DEFAULT: bool = false;
const CURRENT: bool = true;

impl HostPools {
    /// The default pool of a place.
    pub(crate) fn default_of(&self, driver: &Driver, place: HostPlace) -> Arc<Pool> {
        let make = || Pool::of_host(driver, None, true);
        Arc::clone(lock(&self.0).entry((place, DEFAULT)).or_insert_with(make))
    }

    /// The current pool of a place.
    pub(crate) fn current_of(&self, driver: &Driver, place: HostPlace) -> Arc<Pool> {
        let current = lock(&self.0).get(&(place, CURRENT)).cloned();
        current.unwrap_or_else(|| self.default_of(driver, place))
    }

    /// Makes a pool of host memory the current one of a place.
    pub(crate) fn set_current(&self, place: HostPlace, pool: Arc<Pool>) -> Outcome {
        pool.host.as_ref().ok_or(CUresult::INVALID_VALUE)?;
        lock(&self.0).insert((place, CURRENT), pool);
        Ok(())
    }

    /// A pool is gone: where it was current, the default one is.
    pub(super) fn forget(&self, handle: usize) {
        lock(&self.0).retain(|_, pool| pool.handle != handle);
    }
}

impl HostPool {
    /// An empty one, which holds at most so many bytes.
    pub(super) fn new(most: Option<Bytes>) -> Self {
        Self { state: Mutex::default(), most }
    }

    /// What it holds.
    pub(super) fn state(&self) -> PoolState {
        *lock(&self.state)
    }

    /// Changes what it holds, or what it would keep.
    pub(super) fn change(&self, change: impl FnOnce(&mut PoolState)) {
        change(&mut lock(&self.state));
    }

    /// Allocates for the pool of this handle.
    pub(super) fn allocate(&self, driver: &Driver, handle: usize, bytes: usize) -> Outcome<u64> {
        let mut state = lock(&self.state);
        let used = Bytes(state.used.0.saturating_add(bytes as u64));
        if self.most.is_some_and(|most| used > most) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let start = driver.host_memory.allocate_for_pool(bytes, handle)?;
        state.used = used;
        state.reserved = used;
        state.used_peak = state.used_peak.max(used);
        state.reserved_peak = state.used_peak.max(state.reserved_peak);
        Ok(start as u64)
    }
}

/// Frees memory of a pool of host memory, at once; 1 for what is none.
pub(super) fn free_of_host_pool(driver: &Driver, address: u64) -> Outcome {
    let (pool, bytes) = driver.host_memory.free_of_pool(to_usize(address)).ok_or(CUresult::INVALID_VALUE)?;
    // The pool itself may be gone.
    if let Some(pool) = driver.pools.get(pool)
        && let Some(host) = &pool.host
    {
        host.change(|state| {
            state.used -= Bytes(bytes as u64);
            state.reserved = state.used;
        });
    }
    Ok(())
}
