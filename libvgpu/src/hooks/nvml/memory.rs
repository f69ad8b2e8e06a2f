//! A device's memory: the limit, and what the slice is charged.

use super::own;
use crate::abi::nvml::real;
use crate::state::{Slice, slice};
use cuda_sys::*;
use policy::view::MemoryView;

pub(crate) unsafe fn nvmlDeviceGetMemoryInfo(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::nvmlDeviceGetMemoryInfo(device, memory) };
    // SAFETY: the application's own arguments.
    unsafe { narrow(result, device, memory) }
}

/// On a device whose memory is not protected all figures are 0, and stay so.
pub(crate) unsafe fn nvmlDeviceGetConfComputeProtectedMemoryUsage(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::nvmlDeviceGetConfComputeProtectedMemoryUsage(device, memory) };
    // SAFETY: the application's own arguments.
    unsafe { narrow(result, device, memory) }
}

/// A slice has no reserve of its own: what the driver keeps for itself is not taken from it.
pub(crate) unsafe fn nvmlDeviceGetMemoryInfo_v2(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_v2_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::nvmlDeviceGetMemoryInfo_v2(device, memory) };
    if let Some(slice) = slice_after(result) {
        // SAFETY: NVML has accepted its version and just written to it.
        let memory = unsafe { &mut *memory };
        let real = MemoryView { total: memory.total, free: memory.free };
        if let Some(view) = view(slice, device, real) {
            (memory.total, memory.free, memory.used) = (view.total, view.free, view.used());
            memory.reserved = 0;
        }
    }
    result
}

/// # Safety
/// If `result` is success, `memory` must be what NVML has just written to.
unsafe fn narrow(result: nvmlReturn_t, device: nvmlDevice_t, memory: *mut nvmlMemory_t) -> nvmlReturn_t {
    if let Some(slice) = slice_after(result) {
        // SAFETY: promised by the caller.
        let memory = unsafe { &mut *memory };
        let real = MemoryView { total: memory.total, free: memory.free };
        if let Some(view) = view(slice, device, real) {
            (memory.total, memory.free, memory.used) = (view.total, view.free, view.used());
        }
    }
    result
}

fn view(slice: &'static Slice, device: nvmlDevice_t, real: MemoryView) -> Option<MemoryView> {
    slice.view(own::known(slice, device)?, real)
}

/// The slice, if there is one and NVML has answered.
fn slice_after(result: nvmlReturn_t) -> Option<&'static Slice> {
    if result.is_success() { slice().ok().flatten() } else { None }
}
