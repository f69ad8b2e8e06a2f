//! Primary contexts: one a device, shared by whoever retains it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuda_sys::CUresult;

use super::{Context, are_context_flags};
use crate::device::Device;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;

/// Retains the primary context; creates it when it is not alive.
pub(crate) fn retain(driver: &Driver, device: &Device) -> Outcome<Arc<Context>> {
    let mut retained = lock(&device.retained);
    device.primary.revive(driver, device)?;
    *retained += 1;
    Ok(Arc::clone(&device.primary))
}

/// Releases the primary context; the last release destroys it.
pub(crate) fn release(driver: &Driver, device: &Device) -> Outcome {
    let mut retained = lock(&device.retained);
    *retained = retained.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
    if *retained == 0 && device.primary.is_alive() {
        device.primary.kill(driver)?;
    }
    Ok(())
}

/// Destroys the primary context with everything in it. References stay: the next retain brings it back, empty.
pub(crate) fn reset(driver: &Driver, device: &Device) -> Outcome {
    let _retained = lock(&device.retained);
    if device.primary.is_alive() {
        device.primary.kill(driver)?;
    }
    Ok(())
}

/// Sets the flags that the primary context has from its next creation on, and now as far as they can change.
pub(crate) fn set_primary_flags(device: &Device, flags: u32) -> Outcome {
    if !are_context_flags(flags) {
        return Err(CUresult::INVALID_VALUE);
    }
    device.primary.flags.store(flags, Ordering::Release);
    Ok(())
}
