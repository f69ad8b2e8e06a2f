//! Calls of our own while the application may be capturing a graph.

use crate::abi::driver::real;
use cuda_sys::CUstreamCaptureMode;

/// Runs `calls` so that they break no capture, whichever thread captures: without this, a call that a capture forbids
/// fails and invalidates it.
pub(crate) fn undisturbed<T>(calls: impl FnOnce() -> T) -> T {
    let mut mode = CUstreamCaptureMode::RELAXED;
    // SAFETY: `mode` is valid for reading and writing.
    let exchanged = unsafe { real::cuThreadExchangeStreamCaptureMode(&raw mut mode) }.is_success();
    let result = calls();
    if exchanged {
        // SAFETY: as above; this puts the thread's own mode back.
        let _ = unsafe { real::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    }
    result
}
