//! Green contexts: a number of multiprocessors of a device, and its primary context, which each keeps alive. What is
//! allocated while one is current is the primary context's. How fast its kernels run is not changed.

use std::sync::Arc;

use cuda_sys::CUresult;
use sim_kernel::{AllocationId, AllocationRequest, Bytes};

use super::{Context, Origin, release, retain};
use crate::device::Device;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// What a green context takes of the device for itself.
const OVERHEAD: Bytes = Bytes::from_mib(4);

/// A number of multiprocessors that a green context can be made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// At least 1.
    pub(crate) multiprocessors: u32,
}

/// A green context.
#[derive(Debug)]
pub(crate) struct Green {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The device's ordinal.
    pub(crate) device: i32,
    /// What it has of the device.
    pub(crate) share: Share,
    /// It as a context that can be current.
    pub(crate) view: Arc<Context>,
    memory: AllocationId,
}

impl Green {
    /// Creates one; the primary context comes to life if it is not.
    pub(crate) fn create(driver: &Driver, device: &Device, share: Share) -> Outcome<usize> {
        let primary = retain(driver, device)?;
        let made = primary.life().and_then(|life| {
            let request = AllocationRequest::Runtime { bytes: OVERHEAD };
            Ok((life, driver.client.allocate(life.id, request).map_err(code)?.id))
        });
        let (life, memory) = match made {
            Ok(made) => made,
            Err(code) => return release(driver, device).and(Err(code)),
        };
        let as_context = |handle| Context::new(handle, device.ordinal, 0, Origin::Green);
        let view = driver.contexts.insert_with(as_context);
        *lock(&view.life) = Some(life);
        let make = |handle| Self { handle, device: device.ordinal, share, view, memory };
        Ok(driver.greens.insert_with(make).handle)
    }

    /// Destroys one, and lets go of the primary context.
    pub(crate) fn destroy(driver: &Driver, handle: usize) -> Outcome {
        let green = driver.greens.remove(handle).ok_or(CUresult::INVALID_CONTEXT)?;
        driver.contexts.remove(green.view.handle);
        // With a primary context that was reset, all in it is gone.
        if lock(&green.view.life).take().is_some() {
            driver.client.free(green.memory).map_err(code)?;
        }
        release(driver, driver.device(green.device)?)
    }
}
