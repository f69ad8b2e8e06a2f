//! Launches of kernels: each is charged the time that it is expected to take, and waits while the slice has used up its share.

#![allow(clippy::too_many_arguments, reason = "the parameters are the driver's")]

mod legacy;
mod many;
mod shape;

pub(crate) use legacy::{cuLaunch, cuLaunchGrid, cuLaunchGridAsync};
pub(crate) use many::cuLaunchCooperativeKernelMultiDevice;

use crate::abi::driver::real;
use crate::stream::Stream;
use crate::throttle::{Work, metered};
use cuda_sys::*;
use shape::Shape;

pub(crate) unsafe fn cuLaunchKernel(
    f: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call =
        || unsafe { real::cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra) };
    let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared };
    metered(|| Work::kernel(shape.key(f), Stream::legacy(stream)), call)
}

pub(crate) unsafe fn cuLaunchKernel_ptsz(
    f: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call =
        || unsafe { real::cuLaunchKernel_ptsz(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra) };
    let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared };
    metered(|| Work::kernel(shape.key(f), Stream::per_thread(stream)), call)
}

pub(crate) unsafe fn cuLaunchKernelEx(
    config: *const CUlaunchConfig,
    f: CUfunction,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuLaunchKernelEx(config, f, parameters, extra) };
    // SAFETY: as above.
    unsafe { configured(config, f, Stream::legacy, call) }
}

pub(crate) unsafe fn cuLaunchKernelEx_ptsz(
    config: *const CUlaunchConfig,
    f: CUfunction,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuLaunchKernelEx_ptsz(config, f, parameters, extra) };
    // SAFETY: as above.
    unsafe { configured(config, f, Stream::per_thread, call) }
}

pub(crate) unsafe fn cuLaunchCooperativeKernel(
    f: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call =
        || unsafe { real::cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, stream, parameters) };
    let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared };
    metered(|| Work::kernel(shape.key(f), Stream::legacy(stream)), call)
}

pub(crate) unsafe fn cuLaunchCooperativeKernel_ptsz(
    f: CUfunction,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: CUstream,
    parameters: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe {
        real::cuLaunchCooperativeKernel_ptsz(f, gx, gy, gz, bx, by, bz, shared, stream, parameters)
    };
    let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared };
    metered(|| Work::kernel(shape.key(f), Stream::per_thread(stream)), call)
}

/// Makes a launch whose shape and stream are in `config`. The driver rejects a null pointer by itself.
///
/// # Safety
/// `config` must be null or valid for reading.
#[inline]
unsafe fn configured(
    config: *const CUlaunchConfig,
    f: CUfunction,
    stream: impl FnOnce(CUstream) -> Stream,
    call: impl Fn() -> CUresult,
) -> CUresult {
    // SAFETY: promised by the caller.
    let Some(config) = (unsafe { config.as_ref() }) else { return call() };
    metered(|| Work::kernel(Shape::of(config).key(f), stream(config.hStream)), call)
}
