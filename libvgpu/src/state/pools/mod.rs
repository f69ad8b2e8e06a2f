//! The pools of stream-ordered memory that this process is charged for: what they have taken from their devices, used or
//! not.

mod find;
mod pool;

use super::device::Device;
use super::member::Member;
use contract::Bytes;
use core::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use cuda_sys::{CUmemoryPool, CUresult};
use shared_region::BriefLock;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use tracker::{Growth, Table};

pub(crate) use find::{current_pool, of_location};
pub(crate) use pool::Pool;

/// The pools of a process.
#[derive(Default)]
pub(crate) struct Pools {
    /// By the driver's handle. `None`: a pool whose memory is not charged, that of the host.
    known: BriefLock<Table<usize, Option<Arc<Pool>>>>,
    /// The live allocations of pools that can be destroyed, by address.
    blocks: BriefLock<Table<u64, Arc<Pool>>>,
    /// How the driver's pools grow.
    pub(crate) growth: BriefLock<Growth>,
    /// Whether there has been a pool. Until then, pools cost a load where memory is freed or somebody synchronises.
    are_used: AtomicBool,
}

impl Pools {
    /// Whether there is anything to look after.
    #[inline]
    pub(crate) fn are_used(&self) -> bool {
        self.are_used.load(Acquire)
    }

    /// The pool with this handle; `Some(None)` if it is not charged, `None` if it was never seen.
    fn find(&self, handle: CUmemoryPool) -> Option<Option<Arc<Pool>>> {
        self.known.lock().get(&(handle.0 as usize)).cloned()
    }

    /// Records what was found out of a pool, and returns what is recorded.
    fn record(&self, handle: CUmemoryPool, pool: Option<Arc<Pool>>) -> Option<Arc<Pool>> {
        if pool.is_some() {
            self.are_used.store(true, Release);
        }
        self.known.lock().entry(handle.0 as usize).or_insert(pool).clone()
    }

    /// Forgets a pool and returns what was recorded.
    fn take(&self, handle: CUmemoryPool) -> Option<Option<Arc<Pool>>> {
        self.known.lock().remove(&(handle.0 as usize))
    }

    /// The pools that can be asked what they have taken.
    fn all(&self) -> Vec<Arc<Pool>> {
        self.known.lock().values().flatten().cloned().collect()
    }
}

impl Member {
    /// The application has created the pool `handle` on `device`, or one whose memory is not charged.
    pub(crate) fn pool_created(&self, handle: CUmemoryPool, device: Option<&'static Device>) {
        // Another of that handle has gone with something that ended it.
        if let Some(Some(gone)) = self.pools.take(handle) {
            let _ = gone.destroy(&self.account, || CUresult::SUCCESS);
        }
        self.pools.record(handle, device.map(|device| Arc::new(Pool::new(handle, device, false))));
    }

    /// The pool with this handle; `None` if its memory is not charged.
    pub(crate) fn pool(&self, handle: CUmemoryPool) -> Option<Arc<Pool>> {
        self.pools.find(handle).unwrap_or_else(|| {
            let pool = find::default_on(handle).map(|device| Arc::new(Pool::new(handle, device, true)));
            let pool = self.pools.record(handle, pool);
            // It may have been used where nobody saw it.
            if let Some(pool) = &pool {
                pool.reconcile(&self.account);
            }
            pool
        })
    }

    /// Has the driver destroy the pool `handle`.
    pub(crate) fn destroy_pool(&self, handle: CUmemoryPool, call: impl FnOnce() -> CUresult) -> CUresult {
        // Forgotten before, because the driver may call a new pool so at once.
        let Some(known) = self.pools.take(handle) else { return call() };
        let result = match &known {
            Some(pool) => pool.destroy(&self.account, call),
            None => call(),
        };
        if !result.is_success() {
            self.pools.record(handle, known);
        }
        result
    }

    /// The driver has returned `address` of `pool`, which may be destroyed while that is in use.
    pub(crate) fn hold_block(&self, address: u64, pool: &Arc<Pool>) {
        if pool.is_default() {
            return;
        }
        pool.hold();
        let freed = self.pools.blocks.lock().insert(address, Arc::clone(pool));
        if let Some(freed) = freed {
            freed.let_go(&self.account);
        }
    }

    /// Has the driver free `address`, which is no linear memory that is known.
    pub(super) fn free_block(&self, address: u64, call: impl FnOnce() -> CUresult) -> CUresult {
        if !self.pools.are_used() {
            return call();
        }
        let Some(pool) = self.pools.blocks.lock().remove(&address) else { return call() };
        let result = call();
        // As of linear memory: an address that the driver does not know any more has been freed by another thread.
        let ended = if result.is_success() || result == CUresult::INVALID_VALUE {
            Some(pool)
        } else {
            self.put_block_back(address, pool)
        };
        if let Some(pool) = ended {
            pool.let_go(&self.account);
        }
        result
    }

    /// Records a block again that was not freed. If its address has a new owner, it was, and its pool is returned.
    fn put_block_back(&self, address: u64, pool: Arc<Pool>) -> Option<Arc<Pool>> {
        match self.pools.blocks.lock().entry(address) {
            Entry::Occupied(_) => Some(pool),
            Entry::Vacant(vacant) => {
                vacant.insert(pool);
                None
            }
        }
    }

    /// Has `pool` give back all that it does not use.
    pub(crate) fn shrink_pool(&self, pool: &Pool) {
        pool.trim(Bytes(u64::MAX));
        pool.reconcile(&self.account);
    }

    /// Something has happened after which pools, or what there is for graphs, may have given memory back.
    #[inline]
    pub(crate) fn follow_pools(&self) {
        if self.pools.are_used() || self.graphs.are_used() {
            self.reconcile_pools();
        }
    }

    #[cold]
    fn reconcile_pools(&self) {
        for pool in self.pools.all() {
            pool.reconcile(&self.account);
        }
        self.reconcile_graphs();
    }

    /// Has the pools of `device` give back what they do not use, one by one, until there `is_room` for `bytes` more. They
    /// are asked for no more than that at first; then for all, as what they give back comes in pieces.
    pub(super) fn trim_pools<T>(
        &self,
        device: &Device,
        bytes: Bytes,
        is_room: impl Fn() -> Option<T>,
    ) -> Option<T> {
        if !self.pools.are_used() {
            return None;
        }
        self.reconcile_pools();
        let is_here = |pool: &Arc<Pool>| pool.device().index == device.index;
        let here: Vec<_> = self.pools.all().into_iter().filter(is_here).collect();
        let over = || self.account.total(device.index).saturating_sub(device.limit.bytes());
        let trimmed = |pool: &Arc<Pool>, bytes| {
            pool.trim(bytes);
            pool.reconcile(&self.account);
            is_room()
        };
        is_room()
            .or_else(|| here.iter().find_map(|pool| trimmed(pool, bytes.saturating_add(over()))))
            .or_else(|| here.iter().find_map(|pool| trimmed(pool, Bytes(u64::MAX))))
    }
}
