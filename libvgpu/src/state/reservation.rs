//! Memory set aside before the driver is asked for it.

use super::device::Device;
use super::tenant::Tenant;
use crate::clock;
use core::time::Duration;
use cuda_sys::CUresult;
use shared_region::Granted;

/// Bytes that count against the limit already. Dropping it gives them back; [`keep`](Self::keep) does not.
#[must_use]
pub(crate) struct Reservation {
    tenant: &'static Tenant,
    device: &'static Device,
    bytes: u64,
    after_reap: bool,
}

impl Reservation {
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when the bytes do not fit.
    #[inline]
    pub(super) fn take(tenant: &'static Tenant, device: &'static Device, bytes: u64) -> Result<Self, CUresult> {
        let limit = device.limit.bytes();
        match tenant.member.reserve_or_reap(device.index, bytes, limit) {
            Ok(granted) => Ok(Self { tenant, device, bytes, after_reap: granted == Granted::AfterReap }),
            Err(_) => Err(refused(tenant, device, bytes)),
        }
    }

    /// Calls the driver. Memory that was free by our account may still be on its way back from a process that has just
    /// died, so a driver that is out of it then is asked again, for up to a second.
    pub(crate) fn allocate(&self, call: impl Fn() -> CUresult) -> CUresult {
        const TRIES: u32 = 100;
        const PAUSE: Duration = Duration::from_millis(10);
        let mut result = call();
        for _ in 0..TRIES {
            if result != CUresult::OUT_OF_MEMORY || !self.after_reap {
                break;
            }
            std::thread::sleep(PAUSE);
            result = call();
        }
        result
    }

    /// Changes the reservation to `bytes`, now that the real size is known.
    ///
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when it grows and does not fit; the reservation stays what it was.
    pub(crate) fn settle(&mut self, bytes: u64) -> Result<(), CUresult> {
        match bytes.checked_sub(self.bytes) {
            None => self.tenant.member.refund(self.device.index, self.bytes - bytes),
            Some(0) => {}
            Some(more) => Self::take(self.tenant, self.device, more)?.keep(),
        }
        self.bytes = bytes;
        Ok(())
    }

    /// The charge stays, for whoever frees the memory to give back.
    pub(crate) fn keep(self) {
        core::mem::forget(self);
    }

    /// The bytes set aside.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.tenant.member.refund(self.device.index, self.bytes);
    }
}

#[cold]
fn refused(tenant: &Tenant, device: &Device, bytes: u64) -> CUresult {
    tenant.member.refused(device.index, bytes, clock::realtime_ns());
    CUresult::OUT_OF_MEMORY
}
