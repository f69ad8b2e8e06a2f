//! Capture: not simulated, so no stream ever captures. Questions about it are answered by that.

use cuda_sys::{CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};
use std::cell::Cell;

use crate::abi::{Handle, MaybeOut, Out, Ready};
use crate::outcome::Outcome;

pub(crate) fn cuStreamIsCapturing(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
) -> Outcome {
    call.lane(stream.0)?;
    status.set(CUstreamCaptureStatus::NONE);
    Ok(())
}

/// The other outputs are only written for a stream that captures.
pub(crate) fn cuStreamGetCaptureInfo(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
    _id: MaybeOut<u64>,
) -> Outcome {
    cuStreamIsCapturing(call, stream, status)
}

thread_local! {
    static MODE: Cell<CUstreamCaptureMode> = const { Cell::new(CUstreamCaptureMode::GLOBAL) };
}

/// Exchanges the mode of this thread.
pub(crate) fn cuThreadExchangeStreamCaptureMode(_: Ready, mode: *mut CUstreamCaptureMode) -> Outcome {
    if mode.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so the caller's variable.
    let wanted = unsafe { mode.read() };
    if wanted > CUstreamCaptureMode::RELAXED {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: as above.
    unsafe { mode.write(MODE.replace(wanted)) };
    Ok(())
}

same! {
    cuStreamIsCapturing: cuStreamIsCapturing_ptsz;
    cuStreamGetCaptureInfo: cuStreamGetCaptureInfo_ptsz;
}
