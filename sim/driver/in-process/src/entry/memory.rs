//! Memory: addresses that lead nowhere.

use std::ffi::c_uint;

use cuda_sys::{CUdeviceptr, CUresult};

use super::device::TOTAL;
use crate::{idle, store, unique};

idle! {
    cuMemFree_v2(CUdeviceptr);
}

pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) -> CUresult {
    // SAFETY: the caller's place for an address.
    unsafe { store(address, unique::range(bytes as u64)) }
}

pub unsafe extern "C" fn cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, _: c_uint) -> CUresult {
    // SAFETY: the caller's place for an address.
    unsafe { store(address, unique::range(bytes as u64)) }
}

pub unsafe extern "C" fn cuMemAllocPitch_v2(
    address: *mut CUdeviceptr,
    pitch: *mut usize,
    row: usize,
    rows: usize,
    _: c_uint,
) -> CUresult {
    let distance = row.saturating_add(511) & !511;
    // SAFETY: the caller's place for a size.
    if unsafe { store(pitch, distance) } != CUresult::SUCCESS {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller's place for an address.
    unsafe { store(address, unique::range((distance as u64).saturating_mul(rows as u64))) }
}

pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult {
    // Either may be null.
    // SAFETY: the caller's place for a size.
    let _ = unsafe { store(free, TOTAL) };
    // SAFETY: the caller's place for a size.
    let _ = unsafe { store(total, TOTAL) };
    CUresult::SUCCESS
}
