//! The few calls that most programs here make, with Rust's types.

use crate::{Failure, check, cuda};
use cuda_sys::{CUcontext, CUdevice, CUdeviceptr};

/// Initialises the driver and makes the primary context of `device` current in this thread.
///
/// # Errors
/// What the driver answers.
pub fn start(device: CUdevice) -> Result<(), Failure> {
    let mut context = CUcontext(std::ptr::null_mut());
    // SAFETY: the call takes no pointers.
    check("cuInit", unsafe { cuda::cuInit(0) })?;
    // SAFETY: `context` is valid for writing.
    let retained = unsafe { cuda::cuDevicePrimaryCtxRetain(&raw mut context, device) };
    check("cuDevicePrimaryCtxRetain", retained)?;
    // SAFETY: the context has just been retained.
    check("cuCtxSetCurrent", unsafe { cuda::cuCtxSetCurrent(context) })
}

/// Allocates `bytes` of device memory.
///
/// # Errors
/// What the driver answers.
pub fn allocate(bytes: usize) -> Result<CUdeviceptr, Failure> {
    let mut address = 0;
    // SAFETY: `address` is valid for writing.
    check("cuMemAlloc", unsafe { cuda::cuMemAlloc_v2(&raw mut address, bytes) })?;
    Ok(address)
}

/// Frees device memory.
///
/// # Errors
/// What the driver answers, also for an address that is none.
pub fn free(address: CUdeviceptr) -> Result<(), Failure> {
    // SAFETY: the driver checks the address.
    check("cuMemFree", unsafe { cuda::cuMemFree_v2(address) })
}

/// Free and total memory of the current context's device, in bytes.
///
/// # Errors
/// What the driver answers.
pub fn memory_info() -> Result<(usize, usize), Failure> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both are valid for writing.
    check("cuMemGetInfo", unsafe { cuda::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
    Ok((free, total))
}

/// The size of `device`, in bytes.
///
/// # Errors
/// What the driver answers.
pub fn total_memory(device: CUdevice) -> Result<usize, Failure> {
    let mut bytes = 0;
    // SAFETY: `bytes` is valid for writing.
    check("cuDeviceTotalMem", unsafe { cuda::cuDeviceTotalMem_v2(&raw mut bytes, device) })?;
    Ok(bytes)
}
