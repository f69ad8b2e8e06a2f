//! One thread at a time creates contexts on a device, or retains and ends its primary one.
//!
//! Whether a call of the driver creates or ends a primary context can only be told by looking before and after, and
//! what a first context takes only by measuring before and after; nobody else may do the same in between. This lock is
//! held across that call, which no other hook waits for.

use super::device::Device;
use super::limits::UNLIMITED;
use super::member::Member;
use super::start::slice;
use cuda_sys::{CUdevice, CUresult};
use std::sync::{MutexGuard, PoisonError};

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
        let Some(slice) = slice().map_err(|_| CUresult::SYSTEM_NOT_READY)? else { return Ok(None) };
        // An ordinal that is none is the driver's to reject.
        let Some(device) = slice.device(ordinal) else { return Ok(None) };
        let Some(member) = slice.member() else {
            // Without a slot there is no account, and without an account no allowance.
            return if device.limit.bytes() == UNLIMITED { Ok(None) } else { Err(CUresult::OUT_OF_MEMORY) };
        };
        let turns = member.turns.get(device.index.index()).ok_or(CUresult::OUT_OF_MEMORY)?;
        let _alone = turns.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(Self { member, device, _alone }))
    }
}
