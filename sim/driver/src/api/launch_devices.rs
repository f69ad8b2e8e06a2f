//! Launches of one kernel on several devices at once, whose blocks may wait for each other.

use std::ffi::c_uint;
use std::ptr::null_mut;

use cuda_sys::{CUDA_LAUNCH_PARAMS, CUresult};
use sim_kernel::{EventFlags, EventId, Operation};

use super::launch::Shape;
use crate::abi::{Handle, Ready};
use crate::outcome::Outcome;
use crate::process::{Driver, code};
use crate::work::{Lane, Launch, launch};

/// `CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC` and `_NO_POST_LAUNCH_SYNC`.
const NO_SYNC_BEFORE: c_uint = 1;
const NO_SYNC_AFTER: c_uint = 2;

/// # Safety
///
/// `list` must be null or so many launches, whose parameters are as for [`super::cuLaunchKernel`].
pub(crate) unsafe fn cuLaunchCooperativeKernelMultiDevice(
    call: Ready,
    list: *mut CUDA_LAUNCH_PARAMS,
    devices: c_uint,
    flags: c_uint,
) -> Outcome {
    if list.is_null() || devices == 0 || flags & !(NO_SYNC_BEFORE | NO_SYNC_AFTER) != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut parts = Vec::<(Lane, Launch)>::new();
    for at in 0..devices as usize {
        // SAFETY: below their number.
        let wanted = unsafe { list.wrapping_add(at).read_unaligned() };
        // SAFETY: passed on.
        let part = unsafe { part(&call, &wanted) }?;
        let is_like = |(lane, launch): &(Lane, Launch)| {
            (launch.grid, launch.shared) == (part.1.grid, part.1.shared)
                && lane.context.device != part.0.context.device
        };
        if !parts.iter().all(is_like) {
            return Err(CUresult::INVALID_VALUE);
        }
        parts.push(part);
    }
    let (lanes, launches): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    if flags & NO_SYNC_BEFORE == 0 {
        meet(call.driver, &lanes)?;
    }
    for (lane, order) in lanes.iter().zip(launches) {
        launch(call.driver, lane, order)?;
    }
    if flags & NO_SYNC_AFTER == 0 { meet(call.driver, &lanes) } else { Ok(()) }
}

/// A launch and its stream, which is one that the program created and captures nothing.
///
/// # Safety
///
/// The kernel's parameters must be as many pointers as the kernel has parameters.
unsafe fn part(call: &Ready, wanted: &CUDA_LAUNCH_PARAMS) -> Outcome<(Lane, Launch)> {
    let lane = call.lane(wanted.hStream.0.addr())?;
    if lane.stream.is_none() {
        return Err(CUresult::INVALID_HANDLE);
    }
    lane.refuse_capture(call.driver)?;
    let shape = Shape {
        grid: (wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ),
        block: (wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ),
        shared: wanted.sharedMemBytes,
        cooperative: true,
    };
    let kernel = Handle(wanted.function.0.addr());
    // SAFETY: passed on.
    Ok((lane, unsafe { shape.launch(call, kernel, wanted.kernelParams, null_mut()) }?))
}

/// Lets each stream wait for what all of them hold.
fn meet(driver: &Driver, lanes: &[Lane]) -> Outcome {
    let mut events = Vec::<EventId>::new();
    for lane in lanes {
        let context = lane.context.life()?.id;
        let event = driver.client.create_event(context, EventFlags { timing: false }).map_err(code)?;
        lane.enqueue(driver, Operation::Record(event))?;
        events.push(event);
    }
    for lane in lanes {
        events.iter().try_for_each(|event| lane.enqueue(driver, Operation::Wait(*event)))?;
    }
    // What waits for them still does.
    events.into_iter().try_for_each(|event| driver.client.destroy_event(event).map_err(code))
}
