//! What this process has of one device for the memory of its graphs.

use super::super::capture;
use super::super::device::Device;
use super::super::reserve::Reserve;
use crate::abi::driver::real;
use contract::Bytes;
use core::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire};
use cuda_sys::{CUdevice, CUgraphMem_attribute, CUresult};
use shared_region::Member as Account;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tracker::{Begun, Settled};

/// The driver's memory for graphs on one device.
pub(crate) struct Store {
    ordinal: CUdevice,
    reserve: Reserve,
    /// Taken alone by who has to see what one launch does, shared by all others who launch.
    gate: RwLock<()>,
    /// How often it was trimmed, and one more.
    trims: AtomicU64,
}

impl Store {
    /// That of the device that the driver calls `ordinal`, of which nothing is charged yet.
    pub(super) fn of(ordinal: CUdevice, device: &'static Device) -> Self {
        Self { ordinal, reserve: Reserve::of(device), gate: RwLock::default(), trims: AtomicU64::new(1) }
    }

    pub(crate) const fn device(&self) -> &'static Device {
        self.reserve.device
    }

    /// Launches beside others.
    pub(crate) fn beside_others(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Launches alone.
    pub(crate) fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it has and no graph has mapped.
    pub(crate) fn idle(&self) -> Bytes {
        let used = self.ask(CUgraphMem_attribute::USED_MEM_CURRENT);
        let Ok(used) = used else { return Bytes::ZERO };
        self.reserved().map_or(Bytes::ZERO, |reserved| reserved.saturating_sub(used))
    }

    fn reserved(&self) -> Result<Bytes, CUresult> {
        self.ask(CUgraphMem_attribute::RESERVED_MEM_CURRENT)
    }

    fn ask(&self, attribute: CUgraphMem_attribute) -> Result<Bytes, CUresult> {
        let mut bytes = 0_u64;
        let place = (&raw mut bytes).cast();
        // SAFETY: `bytes` is valid for writing, and all attributes have 64 bits.
        let result = unsafe { real::cuDeviceGetGraphMemAttribute(self.ordinal, attribute, place) };
        if result.is_success() { Ok(Bytes(bytes)) } else { Err(result) }
    }

    /// This thread is going to launch a graph with memory here.
    pub(crate) fn begin(&self) -> Begun {
        self.reserve.begin()
    }

    /// This thread has launched one with `bound`, or failed to.
    pub(crate) fn settle(&self, begun: Begun, bound: Bytes) -> Settled {
        self.reserve.settle(begun, bound, || self.reserved())
    }

    /// `bytes` more were charged for what there is.
    pub(crate) fn add(&self, bytes: Bytes) {
        self.reserve.add(bytes);
    }

    /// Makes the charge what the driver says that there is.
    pub(super) fn reconcile(&self, account: &Account) {
        self.reserve.reconcile(account, || self.reserved());
    }

    /// How often it was trimmed: what a graph has mapped, it has until then.
    pub(crate) fn trims(&self) -> u64 {
        self.trims.load(Acquire)
    }

    /// Has `call` trim it. Who launches alone must not be in the middle of it, or be the caller.
    pub(super) fn trimmed(&self, account: &Account, call: impl FnOnce() -> CUresult) -> CUresult {
        self.trims.fetch_add(1, AcqRel);
        let result = call();
        self.reconcile(account);
        result
    }

    /// Has the driver give back what no running graph uses and nobody has left allocated; for who launches alone.
    pub(crate) fn trim(&self, account: &Account) {
        // SAFETY: the call has no preconditions.
        let trim = || unsafe { real::cuDeviceGraphMemTrim(self.ordinal) };
        // Where it fails, it has given back nothing.
        let _ = self.trimmed(account, || capture::undisturbed(trim));
    }
}
