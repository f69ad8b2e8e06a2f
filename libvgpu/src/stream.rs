//! A stream, in the eyes of one of the two versions of a call.

use crate::abi::driver::real;
use crate::state::undisturbed;
use core::ptr::null_mut;
use cuda_sys::*;

/// A stream's handle, and which default stream 0 means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stream {
    handle: CUstream,
    is_per_thread: bool,
}

/// A stream that every context has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// One for all threads, which other streams wait for and which waits for them.
    Legacy,
    /// One for each thread.
    PerThread,
}

/// `CU_STREAM_LEGACY`
const LEGACY: usize = 1;
/// `CU_STREAM_PER_THREAD`
const PER_THREAD: usize = 2;

impl Stream {
    pub(crate) const fn legacy(handle: CUstream) -> Self {
        Self { handle, is_per_thread: false }
    }

    pub(crate) const fn per_thread(handle: CUstream) -> Self {
        Self { handle, is_per_thread: true }
    }

    /// Whether what is done in the stream becomes part of a graph instead. Where the driver does not say, it is not going to
    /// do anything either.
    pub(crate) fn is_capturing(self) -> bool {
        let mut status = CUstreamCaptureStatus::NONE;
        self.capture_status(&mut status).is_success() && status != CUstreamCaptureStatus::NONE
    }

    /// Whether the driver says that the stream does not capture. In a function that a stream calls it says nothing, and of the
    /// legacy default stream it does not while a stream that waits for it captures.
    pub(crate) fn is_open(self) -> bool {
        let mut status = CUstreamCaptureStatus::NONE;
        self.capture_status(&mut status).is_success() && status == CUstreamCaptureStatus::NONE
    }

    fn capture_status(self, status: &mut CUstreamCaptureStatus) -> CUresult {
        if self.is_per_thread {
            // SAFETY: the application's stream; `status` is valid for writing.
            unsafe { real::cuStreamIsCapturing_ptsz(self.handle, status) }
        } else {
            // SAFETY: as above.
            unsafe { real::cuStreamIsCapturing(self.handle, status) }
        }
    }

    /// Records an event in the stream.
    pub(crate) fn record(self, event: CUevent) -> CUresult {
        if self.is_per_thread {
            // SAFETY: an event of ours, and the application's stream.
            unsafe { real::cuEventRecord_ptsz(event, self.handle) }
        } else {
            // SAFETY: as above.
            unsafe { real::cuEventRecord(event, self.handle) }
        }
    }

    /// Gives a graph the memory that it needs to run in the stream, without running it.
    pub(crate) fn upload(self, exec: CUgraphExec) -> CUresult {
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
    pub(crate) unsafe fn free(self, address: CUdeviceptr) -> CUresult {
        if self.is_per_thread {
            // SAFETY: promised by the caller.
            unsafe { real::cuMemFreeAsync_ptsz(address, self.handle) }
        } else {
            // SAFETY: as above.
            unsafe { real::cuMemFreeAsync(address, self.handle) }
        }
    }

    /// Which default stream it is, if it is one: that of the current context.
    #[inline]
    pub(crate) fn default(self) -> Option<DefaultStream> {
        match (self.handle.0 as usize, self.is_per_thread) {
            (LEGACY, _) | (0, false) => Some(DefaultStream::Legacy),
            (PER_THREAD, _) | (0, true) => Some(DefaultStream::PerThread),
            _ => None,
        }
    }

    pub(crate) const fn handle(self) -> CUstream {
        self.handle
    }

    /// The context of a stream that has one of its own.
    pub(crate) fn own_context(self) -> Option<CUcontext> {
        if self.default().is_some() {
            return None;
        }
        let mut context = CUcontext(null_mut());
        // SAFETY: the application's stream; `context` is valid for writing.
        let found = unsafe { real::cuStreamGetCtx(self.handle, &raw mut context) };
        found.is_success().then_some(context)
    }
}

/// The calling thread's context.
#[inline]
pub(crate) fn current_context() -> Option<CUcontext> {
    let mut context = CUcontext(null_mut());
    // SAFETY: `context` is valid for writing.
    let found = unsafe { real::cuCtxGetCurrent(&raw mut context) }.is_success();
    found.then_some(context).filter(|context| !context.0.is_null())
}

/// Runs `work` with the stream's context current.
pub(crate) fn in_context_of<T>(stream: Stream, work: impl FnOnce() -> T) -> T {
    let _current = stream.own_context().and_then(Current::make);
    work()
}

/// A context that is the calling thread's until this is dropped.
pub(crate) struct Current {
    is_pushed: bool,
}

impl Current {
    /// `None`: the driver does not let it be.
    pub(crate) fn make(context: CUcontext) -> Option<Self> {
        if current_context() == Some(context) {
            return Some(Self { is_pushed: false });
        }
        // SAFETY: one that the application has just named by a stream, or that has its events still: before it ends they go.
        let pushed = unsafe { real::cuCtxPushCurrent_v2(context) };
        pushed.is_success().then_some(Self { is_pushed: true })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if self.is_pushed {
            let mut popped = CUcontext(null_mut());
            // SAFETY: `popped` is valid for writing; takes away what was pushed.
            let _ = unsafe { real::cuCtxPopCurrent_v2(&raw mut popped) };
        }
    }
}
