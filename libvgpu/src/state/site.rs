//! Where an allocation by the calling thread would land.

use super::device::Device;
use super::limits::UNLIMITED;
use super::overhead;
use super::reservation::Reservation;
use super::start::slice;
use super::tenant::Tenant;
use super::turn::Turn;
use crate::abi::driver::real;
use contract::Bytes;
use core::ptr::null_mut;
use cuda_sys::{CUcontext, CUdevice, CUresult};
use tracker::ContextId;

/// A context of a device, and the process that allocates in it.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) tenant: &'static Tenant,
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
    pub(crate) fn current() -> Result<Option<Self>, CUresult> {
        let Some(slice) = slice().map_err(|_| CUresult::SYSTEM_NOT_READY)? else { return Ok(None) };
        let Some((handle, ordinal)) = current_context() else { return Ok(None) };
        let device = slice.device(ordinal).ok_or(CUresult::OUT_OF_MEMORY)?;
        let Some(tenant) = slice.tenant() else {
            // Without a slot there is no account, and without an account no allowance.
            return if device.limit.bytes() == UNLIMITED { Ok(None) } else { Err(CUresult::OUT_OF_MEMORY) };
        };
        let ended = tenant.contexts.ended();
        let context = match tenant.contexts.find(device.index, handle) {
            Some(context) => context,
            None => charge_unseen(tenant, device, handle).ok_or(CUresult::OUT_OF_MEMORY)?,
        };
        Ok(Some(Self { tenant, device, context, ended }))
    }

    /// Sets `bytes` aside for an allocation here.
    ///
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when they do not fit.
    #[inline]
    pub(crate) fn reserve(&self, bytes: Bytes) -> Result<Reservation, CUresult> {
        Reservation::take(self.tenant, self.device, bytes)
    }

    /// Records that the driver returned `address` for what was reserved.
    pub(crate) fn record(&self, address: u64, reservation: Reservation) {
        let bytes = reservation.bytes();
        reservation.keep();
        self.tenant.remember(self, address, bytes);
    }
}

#[cold]
fn charge_unseen(tenant: &'static Tenant, device: &'static Device, handle: usize) -> Option<ContextId> {
    overhead::charge_unseen_context(&Turn::of(tenant, device)?, handle)
}

/// The calling thread's context and its device.
#[inline]
fn current_context() -> Option<(usize, CUdevice)> {
    let mut context = CUcontext(null_mut());
    // SAFETY: `context` is valid for writing.
    let found = unsafe { real::cuCtxGetCurrent(&raw mut context) }.is_success() && !context.0.is_null();
    let mut ordinal: CUdevice = 0;
    // SAFETY: `ordinal` is valid for writing.
    let found = found && unsafe { real::cuCtxGetDevice(&raw mut ordinal) }.is_success();
    found.then_some((context.0 as usize, ordinal))
}
