//! Where an allocation by the calling thread would land.

use super::device::Device;
use super::member::Member;
use super::overhead;
use super::place::Place;
use super::reservation::Reservation;
use super::slice::Slice;
use super::start::slice;
use super::turn::Turn;
use crate::abi::driver::real;
use crate::stream::current_context;
use contract::Bytes;
use cuda_sys::{CUdevice, CUresult};
use shared_region::MemoryClass;
use tracker::ContextId;

/// A context of a device, and the process that allocates in it.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) member: &'static Member,
    pub(crate) device: &'static Device,
    pub(super) context: ContextId,
    /// How many contexts had ended before this one was found.
    pub(super) ended: u64,
}

impl Site {
    /// The site of the calling thread's current context. `Ok(None)`: nothing is to be charged, because this process is
    /// not limited or because there is no context and the driver will say so.
    ///
    /// # Errors
    /// What to answer without asking the driver.
    #[inline]
    pub(crate) fn current() -> Result<Option<Self>, CUresult> {
        let Some(slice) = slice().map_err(|_| CUresult::SYSTEM_NOT_READY)? else { return Ok(None) };
        let Some(handle) = current_context().map(|context| context.0 as usize) else { return Ok(None) };
        let known = slice.member().and_then(|member| {
            let ended = member.contexts.ended();
            let context = member.contexts.find(handle)?;
            Some(Self { member, device: slice.device_at(context.device)?, context: context.id, ended })
        });
        known.map_or_else(|| Self::unseen(slice, handle), |site| Ok(Some(site)))
    }

    /// The site of a context that was not charged when it was created, or by this process's parent.
    #[cold]
    fn unseen(slice: &'static Slice, handle: usize) -> Result<Option<Self>, CUresult> {
        let mut ordinal: CUdevice = 0;
        // SAFETY: `ordinal` is valid for writing.
        if !unsafe { real::cuCtxGetDevice(&raw mut ordinal) }.is_success() {
            return Ok(None);
        }
        let device = slice.device(ordinal).ok_or(CUresult::OUT_OF_MEMORY)?;
        let Some(turn) = Turn::take(ordinal)? else { return Ok(None) };
        let member = turn.member;
        let ended = member.contexts.ended();
        let context = overhead::charge_unseen_context(&turn, handle).ok_or(CUresult::OUT_OF_MEMORY)?;
        Ok(Some(Self { member, device, context: context.id, ended }))
    }

    /// Sets `bytes` aside for an allocation here, of the class `class`.
    ///
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when they do not fit.
    #[inline]
    pub(crate) fn reserve(&self, class: MemoryClass, bytes: Bytes) -> Result<Reservation, CUresult> {
        self.place().reserve(class, bytes)
    }

    /// What the context is called here.
    pub(crate) const fn context(&self) -> ContextId {
        self.context
    }

    /// The device, and the process.
    pub(crate) const fn place(&self) -> Place {
        Place { member: self.member, device: self.device }
    }

    /// Records that the driver returned `address` for what was reserved.
    pub(crate) fn record(&self, address: u64, reservation: Reservation) {
        self.member.remember(self, address, reservation.bytes(), reservation.is_for_pages());
        reservation.keep();
    }
}
