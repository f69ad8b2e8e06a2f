//! Modules and libraries: code and its variables take memory when they are loaded, which may be as late as the first use
//! (`CUDA_MODULE_LOADING=LAZY`). How much is seen afterwards; while the slice is over its limit nothing is loaded.

#![allow(clippy::too_many_arguments, reason = "the parameters are the driver's")]

use crate::abi::driver::real;
use crate::state::{Site, Slice, around, slice};
use contract::Bytes;
use cuda_sys::*;
use shared_region::MemoryClass;

pub(crate) unsafe fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe { real::cuModuleLoad(module, fname) })
}

pub(crate) unsafe fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe { real::cuModuleLoadData(module, image) })
}

pub(crate) unsafe fn cuModuleLoadDataEx(
    module: *mut CUmodule,
    image: *const c_void,
    count: c_uint,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe { real::cuModuleLoadDataEx(module, image, count, options, values) })
}

pub(crate) unsafe fn cuModuleLoadFatBinary(module: *mut CUmodule, image: *const c_void) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe { real::cuModuleLoadFatBinary(module, image) })
}

pub(crate) unsafe fn cuModuleUnload(module: CUmodule) -> CUresult {
    // SAFETY: the application's own argument.
    unloaded(|| unsafe { real::cuModuleUnload(module) })
}

pub(crate) unsafe fn cuModuleGetFunction(
    function: *mut CUfunction,
    module: CUmodule,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuModuleGetFunction(function, module, name) })
}

pub(crate) unsafe fn cuModuleGetGlobal(
    address: *mut CUdeviceptr_v1,
    bytes: *mut c_uint,
    module: CUmodule,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuModuleGetGlobal(address, bytes, module, name) })
}

pub(crate) unsafe fn cuModuleGetGlobal_v2(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    module: CUmodule,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuModuleGetGlobal_v2(address, bytes, module, name) })
}

/// Loads into every context that there is, unless it is left to the first use.
pub(crate) unsafe fn cuLibraryLoadData(
    library: *mut CUlibrary,
    code: *const c_void,
    jit: *mut CUjit_option,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    options: *mut CUlibraryOption,
    option_values: *mut *mut c_void,
    option_count: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe {
        real::cuLibraryLoadData(
            library,
            code,
            jit,
            jit_values,
            jit_count,
            options,
            option_values,
            option_count,
        )
    })
}

/// As [`cuLibraryLoadData`].
pub(crate) unsafe fn cuLibraryLoadFromFile(
    library: *mut CUlibrary,
    path: *const c_char,
    jit: *mut CUjit_option,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    options: *mut CUlibraryOption,
    option_values: *mut *mut c_void,
    option_count: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    loaded(|| unsafe {
        real::cuLibraryLoadFromFile(
            library,
            path,
            jit,
            jit_values,
            jit_count,
            options,
            option_values,
            option_count,
        )
    })
}

pub(crate) unsafe fn cuLibraryUnload(library: CUlibrary) -> CUresult {
    // SAFETY: the application's own argument.
    unloaded(|| unsafe { real::cuLibraryUnload(library) })
}

pub(crate) unsafe fn cuLibraryGetModule(module: *mut CUmodule, library: CUlibrary) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuLibraryGetModule(module, library) })
}

pub(crate) unsafe fn cuLibraryGetGlobal(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuLibraryGetGlobal(address, bytes, library, name) })
}

pub(crate) unsafe fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUkernel) -> CUresult {
    // SAFETY: the application's own arguments.
    used(|| unsafe { real::cuKernelGetFunction(function, kernel) })
}

pub(crate) unsafe fn cuFuncLoad(function: CUfunction) -> CUresult {
    // SAFETY: the application's own argument.
    used(|| unsafe { real::cuFuncLoad(function) })
}

/// Loads code, if the slice is not over its limit, and charges what that took.
fn loaded(call: impl FnOnce() -> CUresult) -> CUresult {
    in_place(call, Slice::observe_all)
}

/// The same for what may be the first use of code that is loaded lazily. Programs do this for thousands of kernels, mostly
/// of code that is there, so what it took is looked at soon, but not each time.
fn used(call: impl FnOnce() -> CUresult) -> CUresult {
    in_place(call, Slice::observe_soon)
}

fn in_place(call: impl FnOnce() -> CUresult, settle: impl FnOnce(&'static Slice)) -> CUresult {
    let site = match Site::current() {
        Ok(Some(site)) => site,
        Ok(None) => return call(),
        Err(code) => return code,
    };
    // Dropped at once: of no bytes, so all that it says is that the slice is not over its limit.
    if let Err(code) = site.reserve(MemoryClass::Module, Bytes::ZERO) {
        return code;
    }
    settled(around(site.place(), call), settle)
}

/// Gives back what the code took.
fn unloaded(call: impl FnOnce() -> CUresult) -> CUresult {
    let result = match Site::current() {
        Ok(Some(site)) => around(site.place(), call),
        _ => call(),
    };
    settled(result, Slice::observe_all)
}

fn settled(result: CUresult, settle: impl FnOnce(&'static Slice)) -> CUresult {
    if let Some(slice) = slice().ok().flatten().filter(|_| result.is_success()) {
        settle(slice);
    }
    result
}
