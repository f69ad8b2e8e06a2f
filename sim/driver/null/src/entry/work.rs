//! Modules, streams, events, launches: everything is done as soon as it is asked for.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

use cuda_sys::{
    CUcontext, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphEdgeData, CUgraphNode, CUlaunchConfig,
    CUmodule, CUresult, CUstream, CUstreamCaptureMode, CUstreamCaptureStatus, cuuint64_t,
};

use super::{context, idle, makers, store};

type Parameters = *mut *mut c_void;

makers! {
    CUmodule: cuModuleLoad(*const c_char);
    CUmodule: cuModuleLoadData(*const c_void);
    CUfunction: cuModuleGetFunction(CUmodule, *const c_char);
    CUstream: cuStreamCreate(c_uint);
    CUstream: cuStreamCreateWithPriority(c_uint, c_int);
    CUevent: cuEventCreate(c_uint);
}

idle! {
    cuModuleUnload(CUmodule);
    cuStreamDestroy_v2(CUstream);
    cuStreamQuery(CUstream);
    cuStreamQuery_ptsz(CUstream);
    cuStreamSynchronize(CUstream);
    cuStreamSynchronize_ptsz(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuStreamWaitEvent_ptsz(CUstream, CUevent, c_uint);
    cuEventDestroy_v2(CUevent);
    cuEventRecord(CUevent, CUstream);
    cuEventRecord_ptsz(CUevent, CUstream);
    cuEventRecordWithFlags(CUevent, CUstream, c_uint);
    cuEventRecordWithFlags_ptsz(CUevent, CUstream, c_uint);
    cuEventQuery(CUevent);
    cuEventSynchronize(CUevent);
    cuThreadExchangeStreamCaptureMode(*mut CUstreamCaptureMode);
    cuLaunchKernelEx(*const CUlaunchConfig, CUfunction, Parameters, Parameters);
    cuLaunchKernelEx_ptsz(*const CUlaunchConfig, CUfunction, Parameters, Parameters);
    cuLaunchKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, Parameters, Parameters);
    cuLaunchCooperativeKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, Parameters);
    cuLaunch(CUfunction);
    cuLaunchGrid(CUfunction, c_int, c_int);
    cuLaunchGridAsync(CUfunction, c_int, c_int, CUstream);
    cuMemsetD8_v2(CUdeviceptr, c_uchar, usize);
    cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    cuMemsetD32_v2(CUdeviceptr, c_uint, usize);
    cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
}

pub use cuLaunchCooperativeKernel as cuLaunchCooperativeKernel_ptsz;
pub use cuLaunchKernel as cuLaunchKernel_ptsz;
pub use cuMemsetD8_v2 as cuMemsetD8_v2_ptds;
pub use cuMemsetD8Async as cuMemsetD8Async_ptsz;
pub use cuMemsetD32_v2 as cuMemsetD32_v2_ptds;
pub use cuMemsetD32Async as cuMemsetD32Async_ptsz;

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
    unsafe { store(found, context::CONTEXT) }
}

pub use cuStreamGetCtx as cuStreamGetCtx_ptsz;

pub unsafe extern "C" fn cuStreamGetFlags(_: CUstream, flags: *mut c_uint) -> CUresult {
    // SAFETY: the caller's place for flags.
    unsafe { store(flags, 0) }
}

pub use cuStreamGetFlags as cuStreamGetFlags_ptsz;

/// Every launch takes no time.
pub unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, _: CUevent, _: CUevent) -> CUresult {
    // SAFETY: the caller's place for a number.
    unsafe { store(milliseconds, 0.0) }
}
