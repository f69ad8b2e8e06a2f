//! What belongs to this process alone: its account in the region and what it holds. A forked child is another member: it
//! holds nothing, and the locks of its parent's threads are not its own.

use super::arrays::Arrays;
use super::contexts::Contexts;
use super::graphs::Graphs;
use super::greens::Greens;
use super::identity::Identity;
use super::observed::Observed;
use super::pools::Pools;
use super::pulse::Pulse;
use super::sharing::Sharing;
use super::site::Site;
use crate::report;
use crate::throttle::{Ending, Throttles};
use contract::Bytes;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use cuda_sys::CUresult;
use shared_region::{BriefLock, DeviceIndex, JoinError, Region};
use std::sync::Mutex;
use tracker::{Allocation, Allocations, ContextId, InHand, Physical};

/// One process of the slice.
pub(crate) struct Member {
    /// What it is charged for in the region.
    pub(crate) account: shared_region::Member,
    /// What it has allocated.
    pub(crate) allocations: Allocations,
    /// The contexts it was charged for.
    pub(super) contexts: Contexts,
    /// Its green contexts.
    pub(super) greens: Greens,
    /// The pools that it is charged for.
    pub(crate) pools: Pools,
    /// The graphs that allocate.
    pub(crate) graphs: Graphs,
    /// The physical memory that it is charged for.
    pub(crate) physical: BriefLock<Physical>,
    /// What it shares of that with others.
    pub(super) sharing: Sharing,
    /// The arrays that it has created.
    pub(super) arrays: Arrays,
    /// For each device, what is charged for what no call tells.
    pub(super) observed: Box<[Observed]>,
    /// Under which id NVML lists it.
    pub(super) identity: Identity,
    /// What its launches wait by.
    pub(crate) throttles: Throttles,
    /// How many calls have memory in hand.
    pub(super) in_hand: InHand,
    /// When to look at what is observed again.
    pub(super) pulse: Pulse,
    /// For each device, whose turn it is to create or end contexts there.
    pub(super) turns: Box<[Mutex<()>]>,
}

impl Member {
    fn join(region: &Region) -> Result<Box<Self>, JoinError> {
        Ok(Box::new(Self {
            account: region.join()?,
            allocations: Allocations::default(),
            contexts: Contexts::default(),
            greens: Greens::default(),
            pools: Pools::default(),
            graphs: Graphs::default(),
            physical: BriefLock::default(),
            sharing: Sharing::default(),
            arrays: Arrays::default(),
            observed: std::iter::repeat_with(Observed::default).take(DeviceIndex::COUNT).collect(),
            identity: Identity::default(),
            throttles: Throttles::default(),
            in_hand: InHand::default(),
            pulse: Pulse::default(),
            turns: std::iter::repeat_with(Mutex::default).take(DeviceIndex::COUNT).collect(),
        }))
    }

    /// Records what the driver has allocated at `site`.
    pub(super) fn remember(&self, site: &Site, address: u64, bytes: Bytes, is_paged: bool) {
        let allocation = Allocation { device: site.device.index, context: site.context, bytes, is_paged };
        self.remember_in(&self.allocations, site, address, allocation);
    }

    /// Records in `map` what the driver has created at `site` and calls `key`.
    pub(super) fn remember_in(&self, map: &Allocations, site: &Site, key: u64, allocation: Allocation) {
        if let Some(freed) = map.insert(key, allocation) {
            self.refund(freed);
        }
        // Another thread may have ended the context meanwhile, and have gone through its allocations before this came.
        if self.contexts.ended() != site.ended {
            self.forget_if_ended(map, key, site.context);
        }
    }

    /// Calls the driver to free `address` and gives back what was charged for it, if the driver has freed that, or says
    /// that there is none any more: another thread has freed the address after it was handed out anew. An address of which
    /// nothing is known is that of a pool, or the driver's affair.
    #[inline]
    pub(crate) fn free(&self, address: u64, call: impl FnOnce() -> CUresult) -> CUresult {
        let _hand = self.in_hand.take();
        let Some(allocation) = self.allocations.take(address) else { return self.free_block(address, call) };
        let result = call();
        if result.is_success() || result == CUresult::INVALID_VALUE {
            self.refund(allocation);
        } else {
            self.put_back(&self.allocations, address, allocation);
        }
        result
    }

    #[cold]
    pub(super) fn put_back(&self, map: &Allocations, key: u64, allocation: Allocation) {
        if map.put_back(key, allocation) {
            self.forget_if_ended(map, key, allocation.context);
        } else {
            self.refund(allocation);
        }
    }

    /// Gives back what is charged for `key` in a context that has ended.
    #[cold]
    fn forget_if_ended(&self, map: &Allocations, key: u64, context: ContextId) {
        if self.contexts.is_live(context) {
            return;
        }
        if let Some(allocation) = map.take_of_context(key, context) {
            self.refund(allocation);
        }
    }

    #[inline]
    pub(super) fn refund(&self, allocation: Allocation) {
        self.account.refund(allocation.device, allocation.bytes);
    }

    /// Makes a call by which the context `handle` may end, and forgets that with all that was allocated in it if it
    /// `has_ended`.
    pub(crate) fn end_context(
        &'static self,
        handle: usize,
        call: impl FnOnce() -> CUresult,
        has_ended: impl FnOnce() -> bool,
    ) -> CUresult {
        // Until it is forgotten, the driver says less than is charged.
        let _hand = self.in_hand.take();
        let ending = Ending::begin(self, handle);
        let result = call();
        let has_ended = result.is_success() && has_ended();
        if has_ended {
            // Nobody may look while it is half forgotten, and give back what is given back here.
            let _alone = self.contexts.find(handle).and_then(|context| self.alone_on(context.device));
            self.forget_context(handle);
        } else {
            ending.into_iter().for_each(Ending::undo);
        }
        result
    }

    /// The device of the context `handle`, and what it is called here; `None` if it is not known.
    pub(crate) fn context(&self, handle: usize) -> Option<(DeviceIndex, ContextId)> {
        self.contexts.find(handle).map(|context| (context.device, context.id))
    }

    /// Forgets the context `handle`, which has ended, with all that was allocated in it. For who has the turn on its device.
    pub(super) fn forget_context(&self, handle: usize) {
        let Some(ended) = self.contexts.forget(handle) else { return };
        self.allocations.take_context(ended.context.id, |allocation| self.refund(allocation));
        self.end_arrays(ended.context.id);
        self.refund_unseen(ended.context.device, ended.bytes);
        self.follow_pools();
    }
}

/// The member that this process is.
pub(super) struct Current(AtomicPtr<Member>);

impl Current {
    /// Takes a slot for this process.
    pub(super) fn join(region: &Region) -> Result<Self, JoinError> {
        Ok(Self(AtomicPtr::new(Box::into_raw(Member::join(region)?))))
    }

    /// The member, unless this is a child forked from it that has not joined.
    #[inline]
    pub(super) fn get(&self) -> Option<&'static Member> {
        // SAFETY: never null, and members are never freed: hooks may run until the very end of the process.
        unsafe { self.0.load(Acquire).as_ref() }.filter(|member| member.account.is_current())
    }

    /// The member; a forked child joins now. `None` where the region has no slot left, which is reported once.
    #[inline]
    pub(super) fn get_or_join(&self, region: &Region) -> Option<&'static Member> {
        self.get().or_else(|| self.rejoin(region))
    }

    #[cold]
    fn rejoin(&self, region: &Region) -> Option<&'static Member> {
        static REPORTED: AtomicBool = AtomicBool::new(false);
        let inherited = self.0.load(Acquire);
        match Member::join(region) {
            Ok(member) => {
                let member = Box::into_raw(member);
                if self.0.compare_exchange(inherited, member, AcqRel, Acquire).is_err() {
                    // SAFETY: another thread was faster, so nobody has seen ours.
                    drop(unsafe { Box::from_raw(member) });
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

// `AtomicPtr` is `Sync` whatever it points at; this says that a member is too.
const _: () = {
    const fn shared<T: Sync>() {}
    shared::<Member>();
};
