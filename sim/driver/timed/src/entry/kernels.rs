//! Modules, kernels and their launches. A kernel takes the time that it states for one wave of blocks, whatever its grid.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::time::Duration;

use cuda_sys::{CUfunction, CUlaunchConfig, CUmodule, CUresult, CUstream};
use sim_driver::Durations;
use sim_in_process::store;

use super::handle::{self, code};
use super::streams::stream;

type Parameters = *mut *mut c_void;

pub unsafe extern "C" fn cuModuleLoadData(made: *mut CUmodule, image: *const c_void) -> CUresult {
    if image.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller's image.
    match unsafe { Durations::read(image) } {
        // SAFETY: the caller's place for a handle.
        Ok(kernels) => unsafe { store(made, CUmodule(handle::make(kernels).cast())) },
        Err(code) => code,
    }
}

pub unsafe extern "C" fn cuModuleUnload(module: CUmodule) -> CUresult {
    // SAFETY: the caller's module, which it does not use any more.
    unsafe { handle::end::<Durations>(module.0.cast()) }
}

/// A kernel's handle is never ended: it costs a word.
pub unsafe extern "C" fn cuModuleGetFunction(
    found: *mut CUfunction,
    module: CUmodule,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the caller's module.
    let Ok(kernels) = (unsafe { handle::of::<Durations>(module.0.cast()) }) else {
        return CUresult::INVALID_HANDLE;
    };
    if name.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller's text, which ends with a zero.
    let Some(takes) = kernels.of(unsafe { CStr::from_ptr(name) }) else { return CUresult::NOT_FOUND };
    // SAFETY: the caller's place for a handle.
    unsafe { store(found, CUfunction(handle::make(takes).cast())) }
}

/// How long a kernel takes.
///
/// # Safety
///
/// The handle must be one of a kernel.
pub(super) unsafe fn takes(kernel: CUfunction) -> Result<Duration, CUresult> {
    // SAFETY: passed on.
    unsafe { handle::of::<Duration>(kernel.0.cast()) }.copied()
}

/// # Safety
///
/// The handles must be ones of a kernel and a stream.
unsafe fn launch(kernel: CUfunction, in_stream: CUstream) -> CUresult {
    // SAFETY: passed on.
    let takes = unsafe { takes(kernel) };
    // SAFETY: passed on.
    let stream = unsafe { stream(in_stream) };
    code(stream.and_then(|stream| takes.map(|takes| stream.launch(takes))))
}

pub unsafe extern "C" fn cuLaunchKernel(
    kernel: CUfunction,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    stream: CUstream,
    _: Parameters,
    _: Parameters,
) -> CUresult {
    // SAFETY: the caller's kernel and stream.
    unsafe { launch(kernel, stream) }
}

pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const CUlaunchConfig,
    kernel: CUfunction,
    _: Parameters,
    _: Parameters,
) -> CUresult {
    // SAFETY: the caller's, for reading.
    let Some(config) = (unsafe { config.as_ref() }) else { return CUresult::INVALID_VALUE };
    // SAFETY: the caller's kernel and stream.
    unsafe { launch(kernel, config.hStream) }
}

pub use cuLaunchKernel as cuLaunchKernel_ptsz;
pub use cuLaunchKernelEx as cuLaunchKernelEx_ptsz;
