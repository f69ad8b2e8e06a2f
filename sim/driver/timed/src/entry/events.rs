//! Events.

use std::ffi::c_uint;

use cuda_sys::{CUevent, CUresult, CUstream};
use sim_in_process::store;

use super::handle::{self, code, is_done};
use super::streams::stream;
use crate::stream::Event;
use crate::{device, host};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;

/// # Safety
///
/// The handle must be one of an event that was not destroyed.
unsafe fn event<'a>(handle: CUevent) -> Result<&'a Event, CUresult> {
    // SAFETY: passed on.
    unsafe { handle::of(handle.0.cast()) }
}

pub unsafe extern "C" fn cuEventCreate(made: *mut CUevent, flags: c_uint) -> CUresult {
    let event = Event::new(flags & DISABLE_TIMING != 0);
    // SAFETY: the caller's place for a handle.
    unsafe { store(made, CUevent(handle::make(event).cast())) }
}

pub unsafe extern "C" fn cuEventDestroy_v2(event: CUevent) -> CUresult {
    // SAFETY: the caller's event, which it does not use any more.
    unsafe { handle::end::<Event>(event.0.cast()) }
}

pub unsafe extern "C" fn cuEventRecord(handle: CUevent, in_stream: CUstream) -> CUresult {
    // SAFETY: the caller's event.
    let event = unsafe { event(handle) };
    // SAFETY: the caller's stream.
    let stream = unsafe { stream(in_stream) };
    code(stream.and_then(|stream| event.map(|event| event.record(stream))))
}

pub unsafe extern "C" fn cuEventRecordWithFlags(event: CUevent, stream: CUstream, _: c_uint) -> CUresult {
    // SAFETY: passed on.
    unsafe { cuEventRecord(event, stream) }
}

pub unsafe extern "C" fn cuEventQuery(handle: CUevent) -> CUresult {
    // SAFETY: the caller's event.
    unsafe { event(handle) }.map_or_else(|code| code, |event| is_done(event.time()))
}

pub unsafe extern "C" fn cuEventSynchronize(handle: CUevent) -> CUresult {
    // SAFETY: the caller's event.
    code(unsafe { event(handle) }.map(|event| host::spin_until(event.time())))
}

pub unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, from: CUevent, to: CUevent) -> CUresult {
    // SAFETY: the caller's events.
    let Ok(from) = (unsafe { event(from) }) else { return CUresult::INVALID_HANDLE };
    // SAFETY: as above.
    let Ok(to) = (unsafe { event(to) }) else { return CUresult::INVALID_HANDLE };
    let Some(nanoseconds) = from.until(to) else { return CUresult::INVALID_HANDLE };
    if from.time().max(to.time()) > device::now() {
        return CUresult::NOT_READY;
    }
    #[expect(clippy::cast_precision_loss, reason = "CUDA tells it as a float")]
    let told = nanoseconds as f32 / 1e6;
    // SAFETY: the caller's place for a number.
    unsafe { store(milliseconds, told) }
}

pub use cuEventRecord as cuEventRecord_ptsz;
pub use cuEventRecordWithFlags as cuEventRecordWithFlags_ptsz;
