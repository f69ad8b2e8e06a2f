//! One pool of the driver, and what is charged for it.

use super::super::capture;
use super::super::device::Device;
use super::super::reserve::Reserve;
use crate::abi::driver::real;
use contract::Bytes;
use core::sync::atomic::{AtomicU64, Ordering::AcqRel};
use cuda_sys::{CUmemPool_attribute, CUmemoryPool, CUresult};
use shared_region::Member as Account;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tracker::{Begun, Settled};

/// A pool of device memory.
pub(crate) struct Pool {
    /// The driver's handle, an address.
    handle: usize,
    reserve: Reserve,
    /// Taken alone by who has to see what one allocation does to the pool, shared by all others who allocate.
    gate: RwLock<()>,
    /// Whether the application has not destroyed the pool, which nobody may do while it is looked at.
    has_handle: RwLock<bool>,
    /// Whether it is a device's own, which cannot be destroyed.
    is_default: bool,
    /// How many allocations of it are live, if it can be destroyed; and [`DESTROYED`].
    blocks: AtomicU64,
}

/// The application has destroyed the pool; its memory stays until the last allocation is freed.
const DESTROYED: u64 = 1 << 63;

impl Pool {
    /// A pool of which nothing is charged yet.
    pub(super) fn new(handle: CUmemoryPool, device: &'static Device, is_default: bool) -> Self {
        Self {
            handle: handle.0.expose_provenance(),
            reserve: Reserve::of(device),
            gate: RwLock::default(),
            has_handle: RwLock::new(true),
            is_default,
            blocks: AtomicU64::new(0),
        }
    }

    /// Allocates beside others.
    pub(crate) fn beside_others(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates alone.
    pub(crate) fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the pool has taken from its device.
    ///
    /// # Errors
    /// What the driver answered.
    pub(crate) fn reserved(&self) -> Result<Bytes, CUresult> {
        self.ask(CUmemPool_attribute::RESERVED_MEM_CURRENT)
    }

    /// What the pool has taken from its device and does not use.
    pub(crate) fn idle(&self) -> Bytes {
        let used = self.ask(CUmemPool_attribute::USED_MEM_CURRENT);
        let Ok(used) = used else { return Bytes::ZERO };
        self.reserved().map_or(Bytes::ZERO, |reserved| reserved.saturating_sub(used))
    }

    fn ask(&self, attribute: CUmemPool_attribute) -> Result<Bytes, CUresult> {
        let mut bytes = 0_u64;
        // SAFETY: `bytes` is valid for writing, and both attributes asked for have 64 bits.
        let result = self.with_handle(|pool| unsafe {
            real::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast())
        });
        if result.is_success() { Ok(Bytes(bytes)) } else { Err(result) }
    }

    /// Calls the driver with the pool's handle, if it has one.
    fn with_handle(&self, call: impl FnOnce(CUmemoryPool) -> CUresult) -> CUresult {
        let has_handle = self.has_handle.read().unwrap_or_else(PoisonError::into_inner);
        if *has_handle {
            call(CUmemoryPool(core::ptr::with_exposed_provenance_mut(self.handle)))
        } else {
            CUresult::INVALID_HANDLE
        }
    }

    /// Its device.
    pub(crate) const fn device(&self) -> &'static Device {
        self.reserve.device
    }

    /// This thread is going to allocate from the pool.
    pub(crate) fn begin(&self) -> Begun {
        self.reserve.begin()
    }

    /// This thread has allocated with `bound`, or failed to.
    pub(crate) fn settle(&self, begun: Begun, bound: Bytes) -> Settled {
        self.reserve.settle(begun, bound, || self.reserved())
    }

    /// `bytes` more were charged for what the pool has taken.
    pub(crate) fn add(&self, bytes: Bytes) {
        self.reserve.add(bytes);
    }

    /// Makes the charge what the driver says that the pool has taken.
    pub(super) fn reconcile(&self, account: &Account) {
        self.reserve.reconcile(account, || self.reserved());
    }

    /// Has the driver give back what the pool does not use, but for what it takes to keep more than `bytes` less than
    /// now.
    pub(super) fn trim(&self, bytes: Bytes) {
        let Ok(reserved) = self.reserved() else { return };
        let keep = usize::try_from(reserved.saturating_sub(bytes).0).unwrap_or(usize::MAX);
        // SAFETY: the call has no preconditions beyond the handle.
        let _ =
            self.with_handle(|pool| capture::undisturbed(|| unsafe { real::cuMemPoolTrimTo(pool, keep) }));
    }

    /// Whether it is a device's own, which cannot be destroyed.
    pub(super) const fn is_default(&self) -> bool {
        self.is_default
    }

    /// An allocation of the pool is live.
    pub(super) fn hold(&self) {
        self.blocks.fetch_add(1, AcqRel);
    }

    /// An allocation of the pool is freed, or was not made. With the last one of a destroyed pool, its charge ends.
    pub(super) fn let_go(&self, account: &Account) {
        if self.blocks.fetch_sub(1, AcqRel) == DESTROYED + 1 {
            self.reserve.close(account);
        }
    }

    /// Has the driver destroy the pool.
    pub(super) fn destroy(&self, account: &Account, call: impl FnOnce() -> CUresult) -> CUresult {
        let mut has_handle = self.has_handle.write().unwrap_or_else(PoisonError::into_inner);
        let result = call();
        *has_handle = !result.is_success();
        if result.is_success() && self.blocks.fetch_or(DESTROYED, AcqRel) == 0 {
            self.reserve.close(account);
        }
        result
    }
}
