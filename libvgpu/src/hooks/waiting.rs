//! Waiting for a stream, an event or a context: what the driver's pools do not use goes back to the device then. Before, what
//! this thread has launched ends its measurement. So it does when a thread is told that something is not done yet: who waits that
//! way launches nothing until it is, and a measurement that is left open meanwhile could not tell the work from the wait.

use crate::abi::driver::real;
use crate::state::slice;
use crate::stream::Stream;
use crate::throttle::{about_to_wait, waiting};
use cuda_sys::*;

pub(crate) unsafe fn cuCtxSynchronize() -> CUresult {
    // SAFETY: the call has no preconditions.
    followed(waiting(None, || unsafe { real::cuCtxSynchronize() }))
}

pub(crate) unsafe fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult {
    about_to_wait();
    // SAFETY: the application's own argument.
    followed(unsafe { real::cuCtxSynchronize_v2(ctx) })
}

pub(crate) unsafe fn cuStreamSynchronize(stream: CUstream) -> CUresult {
    // SAFETY: the application's own argument.
    followed(waiting(Some(Stream::legacy(stream)), || unsafe { real::cuStreamSynchronize(stream) }))
}

pub(crate) unsafe fn cuStreamSynchronize_ptsz(stream: CUstream) -> CUresult {
    // SAFETY: the application's own argument.
    followed(waiting(Some(Stream::per_thread(stream)), || unsafe { real::cuStreamSynchronize_ptsz(stream) }))
}

pub(crate) unsafe fn cuEventSynchronize(event: CUevent) -> CUresult {
    about_to_wait();
    // SAFETY: the application's own argument.
    followed(unsafe { real::cuEventSynchronize(event) })
}

pub(crate) unsafe fn cuStreamQuery(stream: CUstream) -> CUresult {
    // SAFETY: the application's own argument.
    told(unsafe { real::cuStreamQuery(stream) })
}

pub(crate) unsafe fn cuStreamQuery_ptsz(stream: CUstream) -> CUresult {
    // SAFETY: the application's own argument.
    told(unsafe { real::cuStreamQuery_ptsz(stream) })
}

pub(crate) unsafe fn cuEventQuery(event: CUevent) -> CUresult {
    // SAFETY: the application's own argument.
    told(unsafe { real::cuEventQuery(event) })
}

/// Not before the question: an event of ours behind the work would change the answer.
#[inline]
fn told(result: CUresult) -> CUresult {
    if result == CUresult::NOT_READY {
        about_to_wait();
    }
    result
}

/// Makes the charges for pools what they are now, which costs a load where there are none, and looks at what kernels took
/// if that was not done just now.
#[inline]
fn followed(result: CUresult) -> CUresult {
    let slice = slice().ok().flatten();
    if let Some((slice, member)) = slice.and_then(|slice| Some((slice, slice.member_if_joined()?))) {
        member.follow_pools();
        slice.observe_when_due();
    }
    result
}
