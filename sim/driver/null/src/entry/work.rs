//! Modules, streams, events, launches: everything is done as soon as it is asked for.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cuda_sys::{
    CUevent, CUfunction, CUlaunchConfig, CUmodule, CUresult, CUstream, CUstreamCaptureMode,
    CUstreamCaptureStatus,
};

use super::{idle, makers, store};

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
    cuEventQuery(CUevent);
    cuEventSynchronize(CUevent);
    cuThreadExchangeStreamCaptureMode(*mut CUstreamCaptureMode);
    cuLaunchKernelEx(*const CUlaunchConfig, CUfunction, Parameters, Parameters);
    cuLaunchKernelEx_ptsz(*const CUlaunchConfig, CUfunction, Parameters, Parameters);
    cuLaunchKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, Parameters, Parameters);
    cuLaunchCooperativeKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, Parameters);
}

pub use cuLaunchCooperativeKernel as cuLaunchCooperativeKernel_ptsz;
pub use cuLaunchKernel as cuLaunchKernel_ptsz;

pub unsafe extern "C" fn cuStreamIsCapturing(_: CUstream, status: *mut CUstreamCaptureStatus) -> CUresult {
    // SAFETY: the caller's place for a status.
    unsafe { store(status, CUstreamCaptureStatus::NONE) }
}

pub use cuStreamIsCapturing as cuStreamIsCapturing_ptsz;

pub unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, _: CUevent, _: CUevent) -> CUresult {
    // SAFETY: the caller's place for a number.
    unsafe { store(milliseconds, 0.0) }
}
