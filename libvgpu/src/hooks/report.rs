//! What the driver says of a device's memory, narrowed to the slice.

use crate::abi::driver::real;
use crate::state::{Slice, slice};
use cuda_sys::*;
use policy::view::MemoryView;

pub(crate) unsafe fn cuDeviceTotalMem(bytes: *mut c_uint, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuDeviceTotalMem(bytes, dev) };
    // SAFETY: the driver has accepted `bytes`.
    unsafe { cap(result, bytes, dev) }
}

pub(crate) unsafe fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuDeviceTotalMem_v2(bytes, dev) };
    // SAFETY: the driver has accepted `bytes`.
    unsafe { cap(result, bytes, dev) }
}

pub(crate) unsafe fn cuMemGetInfo(free: *mut c_uint, total: *mut c_uint) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemGetInfo(free, total) };
    // SAFETY: the driver has accepted both.
    unsafe { narrow(result, free, total) }
}

pub(crate) unsafe fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemGetInfo_v2(free, total) };
    // SAFETY: the driver has accepted both.
    unsafe { narrow(result, free, total) }
}

/// Lowers a device's size to the limit.
///
/// # Safety
/// If `result` is success, `bytes` must be what the driver has just written to.
unsafe fn cap<T: TryFrom<u64> + Copy + Ord>(result: CUresult, bytes: *mut T, ordinal: CUdevice) -> CUresult {
    let Some(slice) = slice_after(result) else { return result };
    let Some(device) = slice.device(ordinal) else { return result };
    // SAFETY: promised by the caller.
    let bytes = unsafe { &mut *bytes };
    // A limit too large for the old 32-bit call is above anything it can say.
    if let Ok(limit) = T::try_from(device.limit.bytes().0) {
        *bytes = (*bytes).min(limit);
    }
    result
}

/// Narrows free and total memory of the current context's device. Either pointer may be null: drivers accept that.
///
/// # Safety
/// If `result` is success, each pointer must be null or what the driver has just written to.
unsafe fn narrow<T: TryFrom<u64>>(result: CUresult, free: *mut T, total: *mut T) -> CUresult {
    let Some(view) = slice_after(result).and_then(current_view) else { return result };
    for (pointer, value) in [(free, view.free), (total, view.total)] {
        // SAFETY: promised by the caller.
        if let (Some(place), Ok(value)) = (unsafe { pointer.as_mut() }, T::try_from(value)) {
            *place = value;
        }
    }
    result
}

/// The picture of the current context's device; `None` when it is not limited.
fn current_view(slice: &'static Slice) -> Option<MemoryView> {
    let (mut ordinal, mut free, mut total) = (0, 0, 0);
    // SAFETY: `ordinal` is valid for writing.
    let found = unsafe { real::cuCtxGetDevice(&raw mut ordinal) };
    // SAFETY: both are valid for writing.
    let told = unsafe { real::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
    if !found.is_success() || !told.is_success() {
        return None;
    }
    slice.view(slice.device(ordinal)?, MemoryView { total: total as u64, free: free as u64 })
}

/// The slice, if there is one and the driver has answered.
fn slice_after(result: CUresult) -> Option<&'static Slice> {
    if result.is_success() { slice().ok().flatten() } else { None }
}
