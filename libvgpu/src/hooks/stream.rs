//! A stream, in the eyes of one of the two versions of a call.

use crate::abi::driver::real;
use crate::state::undisturbed;
use core::ptr::null_mut;
use cuda_sys::*;

/// A stream's handle, and which default stream 0 means.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    handle: CUstream,
    is_per_thread: bool,
}

impl Stream {
    pub(super) const fn legacy(handle: CUstream) -> Self {
        Self { handle, is_per_thread: false }
    }

    pub(super) const fn per_thread(handle: CUstream) -> Self {
        Self { handle, is_per_thread: true }
    }

    /// Whether what is done in the stream becomes part of a graph instead. Where the driver does not say, it is not going to
    /// do anything either.
    pub(super) fn is_capturing(self) -> bool {
        let mut status = CUstreamCaptureStatus::NONE;
        let result = if self.is_per_thread {
            // SAFETY: the application's stream; `status` is valid for writing.
            unsafe { real::cuStreamIsCapturing_ptsz(self.handle, &raw mut status) }
        } else {
            // SAFETY: as above.
            unsafe { real::cuStreamIsCapturing(self.handle, &raw mut status) }
        };
        result.is_success() && status != CUstreamCaptureStatus::NONE
    }

    /// Gives a graph the memory that it needs to run in the stream, without running it.
    pub(super) fn upload(self, exec: CUgraphExec) -> CUresult {
        undisturbed(|| {
            if self.is_per_thread {
                // SAFETY: the application's own graph and stream.
                unsafe { real::cuGraphUpload_ptsz(exec, self.handle) }
            } else {
                // SAFETY: as above.
                unsafe { real::cuGraphUpload(exec, self.handle) }
            }
        })
    }

    /// Frees what was just allocated in this stream.
    ///
    /// # Safety
    /// Nobody else may know `address`.
    pub(super) unsafe fn free(self, address: CUdeviceptr) -> CUresult {
        if self.is_per_thread {
            // SAFETY: promised by the caller.
            unsafe { real::cuMemFreeAsync_ptsz(address, self.handle) }
        } else {
            // SAFETY: as above.
            unsafe { real::cuMemFreeAsync(address, self.handle) }
        }
    }

    /// The context of a stream that has one of its own: the default streams are those of the current one.
    fn own_context(self) -> Option<CUcontext> {
        const LAST_DEFAULT_STREAM: usize = 2;
        if self.handle.0 as usize <= LAST_DEFAULT_STREAM {
            return None;
        }
        let mut context = CUcontext(null_mut());
        // SAFETY: the application's stream; `context` is valid for writing.
        let found = unsafe { real::cuStreamGetCtx(self.handle, &raw mut context) };
        found.is_success().then_some(context)
    }
}

/// Runs `work` with the stream's context current.
pub(super) fn in_context_of<T>(stream: Stream, work: impl FnOnce() -> T) -> T {
    let mut current = CUcontext(null_mut());
    // SAFETY: `current` is valid for writing.
    let _ = unsafe { real::cuCtxGetCurrent(&raw mut current) };
    let other = stream.own_context().filter(|context| *context != current);
    // SAFETY: the context of a stream that the application has just named.
    let Some(_) = other.filter(|context| unsafe { real::cuCtxPushCurrent_v2(*context) }.is_success()) else {
        return work();
    };
    let result = work();
    // SAFETY: `current` is valid for writing; takes away what was pushed.
    let _ = unsafe { real::cuCtxPopCurrent_v2(&raw mut current) };
    result
}
