//! One thread at a time creates contexts on a device, or retains and ends its primary one.
//!
//! Whether a call of the driver creates or ends a primary context can only be told by looking before and after, and
//! what a first context takes only by measuring before and after; nobody else may do the same in between. This lock is
//! held across that call, which no other hook waits for.

use super::device::Device;
use super::member::Member;
use super::place::Place;
use crate::throttle::Ending;
use cuda_sys::{CUdevice, CUresult};
use shared_region::DeviceIndex;
use std::sync::{MutexGuard, PoisonError, TryLockError};

/// A thread's turn on a device.
pub(crate) struct Turn {
    pub(super) member: &'static Member,
    pub(super) device: &'static Device,
    _alone: MutexGuard<'static, ()>,
}

impl Turn {
    /// Waits for the turn. `Ok(None)`: nothing is charged here.
    ///
    /// # Errors
    /// What to answer without asking the driver.
    pub(crate) fn take(ordinal: CUdevice) -> Result<Option<Self>, CUresult> {
        let Some(Place { member, device }) = Place::on(ordinal)? else { return Ok(None) };
        Self::of(Place { member, device }).ok_or(CUresult::OUT_OF_MEMORY).map(Some)
    }

    /// Waits for the turn.
    pub(super) fn of(Place { member, device }: Place) -> Option<Self> {
        let _alone = member.alone_on(device.index)?;
        Some(Self { member, device, _alone })
    }

    /// The turn, if nobody else has it.
    pub(super) fn at_once(Place { member, device }: Place) -> Option<Self> {
        let turns = member.turns.get(device.index.index())?;
        let _alone = match turns.try_lock() {
            Ok(alone) => alone,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Self { member, device, _alone })
    }

    /// The device, and this process.
    pub(crate) const fn place(&self) -> Place {
        Place { member: self.member, device: self.device }
    }

    /// The context `handle` of the device may end with the next call of the driver: nothing is measured in it meanwhile.
    pub(crate) fn ending(&self, handle: usize) -> Option<Ending> {
        Ending::begin(self.member, handle)
    }

    /// The context `handle` of the device has ended.
    pub(crate) fn forget_context(&self, handle: usize) {
        self.member.forget_context(handle);
    }
}

impl Member {
    /// Waits for the turn on the device at this place in the region, of which no more than that may be known.
    pub(super) fn alone_on(&self, device: DeviceIndex) -> Option<MutexGuard<'_, ()>> {
        Some(self.turns.get(device.index())?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
