//! Launches as before CUDA 4: the shape of a block is an attribute of the function.

use super::shape::Shape;
use crate::abi::driver::real;
use crate::stream::Stream;
use crate::throttle::{Work, metered};
use core::ptr::null_mut;
use cuda_sys::*;

/// The stream of a launch that names none.
const DEFAULT: CUstream = CUstream(null_mut());

pub(crate) unsafe fn cuLaunch(f: CUfunction) -> CUresult {
    // SAFETY: the application's own argument.
    launched(f, [1, 1], DEFAULT, || unsafe { real::cuLaunch(f) })
}

pub(crate) unsafe fn cuLaunchGrid(f: CUfunction, width: c_int, height: c_int) -> CUresult {
    // SAFETY: the application's own arguments.
    launched(f, [width, height], DEFAULT, || unsafe { real::cuLaunchGrid(f, width, height) })
}

pub(crate) unsafe fn cuLaunchGridAsync(
    f: CUfunction,
    width: c_int,
    height: c_int,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    launched(f, [width, height], stream, || unsafe { real::cuLaunchGridAsync(f, width, height, stream) })
}

#[inline]
fn launched(
    f: CUfunction,
    [width, height]: [c_int; 2],
    stream: CUstream,
    call: impl Fn() -> CUresult,
) -> CUresult {
    // A size that is none is the driver's to reject.
    let [width, height] = [width, height].map(|size| c_uint::try_from(size).unwrap_or(0));
    let shape = Shape { grid: [width, height, 1], block: [0; 3], shared: 0 };
    metered(|| Work::kernel(shape.key(f), Stream::legacy(stream)), call)
}
