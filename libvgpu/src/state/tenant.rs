//! What belongs to this process alone: its slot in the region and what it holds. A forked child is another tenant: it
//! holds nothing, and the locks of its parent's threads are not its own.

use super::contexts::Contexts;
use super::site::Site;
use crate::report;
use contract::Bytes;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use shared_region::{DeviceIndex, JoinError, Member, Region};
use std::sync::Mutex;
use tracker::{Allocation, AllocationId, Allocations};

/// One process of the slice.
pub(crate) struct Tenant {
    /// Its slot in the region.
    pub(crate) member: Member,
    /// What it has allocated.
    pub(crate) allocations: Allocations,
    /// The contexts it was charged for.
    pub(super) contexts: Contexts,
    /// For each device, whose turn it is to create or end contexts there.
    pub(super) turns: Box<[Mutex<()>]>,
}

impl Tenant {
    fn join(region: &Region) -> Result<Box<Self>, JoinError> {
        Ok(Box::new(Self {
            member: region.join()?,
            allocations: Allocations::default(),
            contexts: Contexts::default(),
            turns: std::iter::repeat_with(Mutex::default).take(DeviceIndex::COUNT).collect(),
        }))
    }

    /// Records what the driver has allocated at `site`.
    pub(super) fn remember(&self, site: &Site, address: u64, bytes: Bytes) {
        let allocation = Allocation { device: site.device.index, context: site.context, bytes };
        let (id, freed) = self.allocations.insert(address, allocation);
        if let Some(freed) = freed {
            self.refund(freed);
        }
        // Another thread may have ended the context meanwhile, and have gone through its allocations before this came.
        if self.contexts.ended() != site.ended && !self.contexts.is_live(site.context) {
            self.forget(address, id);
        }
    }

    /// Gives back what was charged for the allocation at `address`, which the driver has freed.
    pub(crate) fn forget(&self, address: u64, id: AllocationId) {
        if let Some(allocation) = self.allocations.remove(address, id) {
            self.refund(allocation);
        }
    }

    fn refund(&self, allocation: Allocation) {
        self.member.refund(allocation.device, allocation.bytes);
    }

    /// Forgets the context `handle`, which has ended, with all that was allocated in it.
    pub(crate) fn end_context(&self, handle: usize) {
        let Some(ended) = self.contexts.forget(handle) else { return };
        self.allocations.take_context(ended.context.id, |allocation| self.refund(allocation));
        self.member.refund(ended.context.device, ended.bytes);
    }
}

/// The tenant that this process is.
pub(super) struct Current(AtomicPtr<Tenant>);

impl Current {
    /// Takes a slot for this process.
    pub(super) fn join(region: &Region) -> Result<Self, JoinError> {
        Ok(Self(AtomicPtr::new(Box::into_raw(Tenant::join(region)?))))
    }

    /// The tenant, unless this is a child forked from it that has not joined.
    #[inline]
    pub(super) fn get(&self) -> Option<&'static Tenant> {
        // SAFETY: never null, and tenants are never freed: hooks may run until the very end of the process.
        unsafe { self.0.load(Acquire).as_ref() }.filter(|tenant| tenant.member.is_current())
    }

    /// The tenant; a forked child joins now. `None` where the region has no slot left, which is reported once.
    #[inline]
    pub(super) fn get_or_join(&self, region: &Region) -> Option<&'static Tenant> {
        self.get().or_else(|| self.rejoin(region))
    }

    #[cold]
    fn rejoin(&self, region: &Region) -> Option<&'static Tenant> {
        static REPORTED: AtomicBool = AtomicBool::new(false);
        let inherited = self.0.load(Acquire);
        match Tenant::join(region) {
            Ok(tenant) => {
                let tenant = Box::into_raw(tenant);
                if self.0.compare_exchange(inherited, tenant, AcqRel, Acquire).is_err() {
                    // SAFETY: another thread was faster, so nobody has seen ours.
                    drop(unsafe { Box::from_raw(tenant) });
                }
                self.get()
            }
            Err(error) => {
                if !REPORTED.swap(true, Relaxed) {
                    report::line(&format_args!("vgpu: {error}"));
                }
                None
            }
        }
    }
}

// `AtomicPtr` is `Sync` whatever it points at; this says that a tenant is too.
const _: () = {
    const fn shared<T: Sync>() {}
    shared::<Tenant>();
};
