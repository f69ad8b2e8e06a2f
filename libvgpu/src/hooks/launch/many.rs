//! One launch on several devices at once.

use super::shape::Shape;
use crate::abi::driver::real;
use crate::stream::Stream;
use crate::throttle::{Work, metered_together};
use cuda_sys::*;

/// Each device is charged for its part. The parts wait for each other on the devices, so nobody waits here between two of
/// them: once, before the call, until every device has time.
pub(crate) unsafe fn cuLaunchCooperativeKernelMultiDevice(
    launches: *mut CUDA_LAUNCH_PARAMS,
    count: c_uint,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuLaunchCooperativeKernelMultiDevice(launches, count, flags) };
    // The driver rejects a null pointer by itself.
    if launches.is_null() {
        return call();
    }
    // SAFETY: the application gave so many for reading.
    let parts = unsafe { core::slice::from_raw_parts(launches, count as usize) };
    let work = |part: &CUDA_LAUNCH_PARAMS| {
        Work::kernel(Shape::of_one(part).key(part.function), Stream::legacy(part.hStream))
    };
    metered_together(|| parts.iter().map(work).collect(), call)
}
