//! What is asked of a stream before anything is recorded in it: no stream captures, and all are of the one context.

use std::ffi::c_uint;

use cuda_sys::{
    CUcontext, CUgraph, CUgraphEdgeData, CUgraphNode, CUresult, CUstream, CUstreamCaptureMode,
    CUstreamCaptureStatus, cuuint64_t,
};

use super::context::CONTEXT;
use crate::{idle, store};

idle! {
    cuThreadExchangeStreamCaptureMode(*mut CUstreamCaptureMode);
}

/// No stream captures.
pub unsafe extern "C" fn cuStreamIsCapturing(_: CUstream, status: *mut CUstreamCaptureStatus) -> CUresult {
    // SAFETY: the caller's place for a status.
    unsafe { store(status, CUstreamCaptureStatus::NONE) }
}

pub use cuStreamIsCapturing as cuStreamIsCapturing_ptsz;

pub unsafe extern "C" fn cuStreamGetCaptureInfo(
    stream: CUstream,
    status: *mut CUstreamCaptureStatus,
    _: *mut cuuint64_t,
) -> CUresult {
    // SAFETY: passed on.
    unsafe { cuStreamIsCapturing(stream, status) }
}

pub use cuStreamGetCaptureInfo as cuStreamGetCaptureInfo_ptsz;

pub unsafe extern "C" fn cuStreamGetCaptureInfo_v2(
    stream: CUstream,
    status: *mut CUstreamCaptureStatus,
    _: *mut cuuint64_t,
    _: *mut CUgraph,
    _: *mut *const CUgraphNode,
    _: *mut usize,
) -> CUresult {
    // SAFETY: passed on.
    unsafe { cuStreamIsCapturing(stream, status) }
}

pub use cuStreamGetCaptureInfo_v2 as cuStreamGetCaptureInfo_v2_ptsz;

pub unsafe extern "C" fn cuStreamGetCaptureInfo_v3(
    stream: CUstream,
    status: *mut CUstreamCaptureStatus,
    _: *mut cuuint64_t,
    _: *mut CUgraph,
    _: *mut *const CUgraphNode,
    _: *mut *const CUgraphEdgeData,
    _: *mut usize,
) -> CUresult {
    // SAFETY: passed on.
    unsafe { cuStreamIsCapturing(stream, status) }
}

pub use cuStreamGetCaptureInfo_v3 as cuStreamGetCaptureInfo_v3_ptsz;

pub unsafe extern "C" fn cuStreamGetCtx(_: CUstream, found: *mut CUcontext) -> CUresult {
    // SAFETY: the caller's place for a context.
    unsafe { store(found, CONTEXT) }
}

pub use cuStreamGetCtx as cuStreamGetCtx_ptsz;

pub unsafe extern "C" fn cuStreamGetFlags(_: CUstream, flags: *mut c_uint) -> CUresult {
    // SAFETY: the caller's place for flags.
    unsafe { store(flags, 0) }
}

pub use cuStreamGetFlags as cuStreamGetFlags_ptsz;
