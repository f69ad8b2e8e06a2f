//! Streams, and waiting for them.

use std::ffi::{c_int, c_uint};

use cuda_sys::{CUevent, CUresult, CUstream};
use sim_in_process::store;

use super::handle::{self, code, is_done};
use crate::stream::{DEFAULT, Event, Stream};
use crate::{device, host};

/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`: every default stream is the same one here.
const DEFAULTS: std::ops::RangeInclusive<usize> = 0..=2;

/// The stream of a handle.
///
/// # Safety
///
/// The handle must be one of a default stream, or of a stream that was not destroyed.
pub(super) unsafe fn stream<'a>(handle: CUstream) -> Result<&'a Stream, CUresult> {
    if DEFAULTS.contains(&handle.0.addr()) {
        return Ok(&DEFAULT);
    }
    // SAFETY: passed on.
    unsafe { handle::of(handle.0.cast()) }
}

pub unsafe extern "C" fn cuStreamCreate(made: *mut CUstream, _: c_uint) -> CUresult {
    // SAFETY: the caller's place for a handle.
    unsafe { store(made, CUstream(handle::make(Stream::default()).cast())) }
}

pub unsafe extern "C" fn cuStreamCreateWithPriority(
    made: *mut CUstream,
    flags: c_uint,
    _: c_int,
) -> CUresult {
    // SAFETY: passed on.
    unsafe { cuStreamCreate(made, flags) }
}

pub unsafe extern "C" fn cuStreamDestroy_v2(stream: CUstream) -> CUresult {
    // SAFETY: the caller's stream, which it does not use any more.
    unsafe { handle::end::<Stream>(stream.0.cast()) }
}

pub unsafe extern "C" fn cuStreamQuery(handle: CUstream) -> CUresult {
    // SAFETY: the caller's stream.
    unsafe { stream(handle) }.map_or_else(|code| code, |stream| is_done(stream.done()))
}

pub unsafe extern "C" fn cuStreamSynchronize(handle: CUstream) -> CUresult {
    // SAFETY: the caller's stream.
    code(unsafe { stream(handle) }.map(|stream| host::spin_until(stream.done())))
}

pub unsafe extern "C" fn cuStreamWaitEvent(handle: CUstream, event: CUevent, _: c_uint) -> CUresult {
    // SAFETY: the caller's event.
    let event: Result<&Event, _> = unsafe { handle::of(event.0.cast()) };
    // SAFETY: the caller's stream.
    let stream = unsafe { stream(handle) };
    code(stream.and_then(|stream| event.map(|event| stream.wait_for(event.time()))))
}

pub unsafe extern "C" fn cuCtxSynchronize() -> CUresult {
    host::spin_until(device::done());
    CUresult::SUCCESS
}

pub use cuStreamQuery as cuStreamQuery_ptsz;
pub use cuStreamSynchronize as cuStreamSynchronize_ptsz;
pub use cuStreamWaitEvent as cuStreamWaitEvent_ptsz;
