//! A device where this process may take memory, whichever context is current.

use super::device::Device;
use super::limits::UNLIMITED;
use super::member::Member;
use super::reservation::Reservation;
use super::start::slice;
use contract::Bytes;
use cuda_sys::{CUdevice, CUresult};
use shared_region::MemoryClass;

/// A device, and the process that takes memory of it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) member: &'static Member,
    pub(crate) device: &'static Device,
}

impl Place {
    /// The device the driver calls `ordinal`. `Ok(None)`: nothing is charged there.
    ///
    /// # Errors
    /// What to answer without asking the driver.
    pub(crate) fn on(ordinal: CUdevice) -> Result<Option<Self>, CUresult> {
        let Some(slice) = slice().map_err(|_| CUresult::SYSTEM_NOT_READY)? else { return Ok(None) };
        // An ordinal that is none is the driver's to reject.
        let Some(device) = slice.device(ordinal) else { return Ok(None) };
        match slice.member() {
            Some(member) => Ok(Some(Self { member, device })),
            // Without a slot there is no account, and without an account no allowance, of memory or of time.
            None if device.limit.bytes() == UNLIMITED && !device.limit.is_metered() => Ok(None),
            None => Err(CUresult::OUT_OF_MEMORY),
        }
    }

    /// Sets `bytes` aside here, for memory of the class `class`.
    ///
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when they do not fit.
    #[inline]
    pub(crate) fn reserve(&self, class: MemoryClass, bytes: Bytes) -> Result<Reservation, CUresult> {
        if self.member.pulse.tick() {
            look_when_due();
        }
        Reservation::take(*self, class, bytes)
    }
}

/// One allocation of many sees what was taken or given back meanwhile without being asked for.
#[cold]
pub(super) fn look_when_due() {
    if let Ok(Some(slice)) = slice() {
        slice.observe_when_due();
    }
}
