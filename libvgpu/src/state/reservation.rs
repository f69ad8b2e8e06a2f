//! Memory set aside before the driver is asked for it.

use super::device::Device;
use super::member::Member;
use crate::clock;
use contract::Bytes;
use core::time::Duration;
use cuda_sys::CUresult;
use shared_region::Refused;

/// Bytes that count against the limit already. Dropping it gives them back; [`keep`](Self::keep) does not.
#[must_use]
pub(crate) struct Reservation {
    member: &'static Member,
    device: &'static Device,
    bytes: Bytes,
    /// Dead processes had to make room for it.
    after_reap: bool,
}

impl Reservation {
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when the bytes do not fit.
    #[inline]
    pub(super) fn take(
        member: &'static Member,
        device: &'static Device,
        bytes: Bytes,
    ) -> Result<Self, CUresult> {
        let granted = |after_reap| Self { member, device, bytes, after_reap };
        match member.account.reserve(device.index, bytes, device.limit.bytes()) {
            Ok(()) => Ok(granted(false)),
            Err(Refused::Total) => after_reap(member, device, bytes).map(granted),
            Err(_) => Err(refused(member, device, bytes)),
        }
    }

    /// A reservation of nothing, for what is only observed.
    pub(super) const fn none(member: &'static Member, device: &'static Device) -> Self {
        Self { member, device, bytes: Bytes::ZERO, after_reap: false }
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
    pub(crate) fn settle(&mut self, bytes: Bytes) -> Result<(), CUresult> {
        match bytes.0.checked_sub(self.bytes.0) {
            None => self.member.account.refund(self.device.index, Bytes(self.bytes.0 - bytes.0)),
            Some(0) => {}
            Some(more) => Self::take(self.member, self.device, Bytes(more))?.keep(),
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Changes the reservation to `bytes`, which are in use already, whether they fit or not.
    pub(super) fn observe(&mut self, bytes: Bytes) {
        let (account, device) = (&self.member.account, self.device.index);
        account.charge(device, bytes.saturating_sub(self.bytes));
        account.refund(device, self.bytes.saturating_sub(bytes));
        self.bytes = bytes;
    }

    /// The charge stays, for whoever frees the memory to give back.
    pub(crate) fn keep(self) {
        core::mem::forget(self);
    }

    /// The bytes set aside.
    pub(crate) const fn bytes(&self) -> Bytes {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.member.account.refund(self.device.index, self.bytes);
    }
}

/// Clears up after dead processes and tries once more. Answers whether there were any.
#[cold]
fn after_reap(member: &Member, device: &Device, bytes: Bytes) -> Result<bool, CUresult> {
    match member.account.reserve_or_reap(device.index, bytes, device.limit.bytes()) {
        Ok(reaped) => Ok(reaped.processes > 0),
        Err(_) => Err(refused(member, device, bytes)),
    }
}

#[cold]
fn refused(member: &Member, device: &Device, bytes: Bytes) -> CUresult {
    member.account.refused(device.index, bytes, clock::realtime_ns());
    CUresult::OUT_OF_MEMORY
}
