//! Streams that end: what was metered in them is forgotten, and the handle may become another's.

use crate::abi::driver::real;
use crate::throttle;
use cuda_sys::*;

pub(crate) unsafe fn cuStreamDestroy(stream: CUstream) -> CUresult {
    throttle::stream_ends(stream);
    // SAFETY: the application's own argument.
    unsafe { real::cuStreamDestroy(stream) }
}

pub(crate) unsafe fn cuStreamDestroy_v2(stream: CUstream) -> CUresult {
    throttle::stream_ends(stream);
    // SAFETY: the application's own argument.
    unsafe { real::cuStreamDestroy_v2(stream) }
}
