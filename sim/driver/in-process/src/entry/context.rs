//! Contexts: one for the whole process, and for each thread whether it is current.

use std::cell::Cell;
use std::ffi::{c_int, c_uint};

use cuda_sys::{CUcontext, CUdevice, CUresult};

use crate::{idle, store};

/// The one context.
pub const CONTEXT: CUcontext = CUcontext(std::ptr::without_provenance_mut(0x1000));
const NONE: CUcontext = CUcontext(std::ptr::null_mut());

thread_local! {
    static CURRENT: Cell<CUcontext> = const { Cell::new(NONE) };
}

idle! {
    cuDevicePrimaryCtxRelease_v2(CUdevice);
    cuDevicePrimaryCtxReset_v2(CUdevice);
}

pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(made: *mut CUcontext, _: CUdevice) -> CUresult {
    // SAFETY: the caller's place for a context.
    unsafe { store(made, CONTEXT) }
}

pub unsafe extern "C" fn cuDevicePrimaryCtxGetState(
    _: CUdevice,
    flags: *mut c_uint,
    active: *mut c_int,
) -> CUresult {
    // Either may be null.
    // SAFETY: the caller's place for a number.
    let _ = unsafe { store(flags, 0) };
    // SAFETY: the caller's place for a number.
    let _ = unsafe { store(active, 1) };
    CUresult::SUCCESS
}

pub unsafe extern "C" fn cuCtxCreate_v2(made: *mut CUcontext, _: c_uint, _: CUdevice) -> CUresult {
    CURRENT.set(CONTEXT);
    // SAFETY: the caller's place for a context.
    unsafe { store(made, CONTEXT) }
}

pub unsafe extern "C" fn cuCtxDestroy_v2(_: CUcontext) -> CUresult {
    CURRENT.set(NONE);
    CUresult::SUCCESS
}

pub unsafe extern "C" fn cuCtxSetCurrent(context: CUcontext) -> CUresult {
    CURRENT.set(context);
    CUresult::SUCCESS
}

pub use cuCtxSetCurrent as cuCtxPushCurrent_v2;

pub unsafe extern "C" fn cuCtxPopCurrent_v2(popped: *mut CUcontext) -> CUresult {
    // It may be null.
    // SAFETY: the caller's place for a context.
    let _ = unsafe { store(popped, CURRENT.replace(NONE)) };
    CUresult::SUCCESS
}

pub unsafe extern "C" fn cuCtxGetCurrent(current: *mut CUcontext) -> CUresult {
    // SAFETY: the caller's place for a context.
    unsafe { store(current, CURRENT.get()) }
}

pub unsafe extern "C" fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult {
    // SAFETY: the caller's place for a device.
    unsafe { store(device, 0) }
}
