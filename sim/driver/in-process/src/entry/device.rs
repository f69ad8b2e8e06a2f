//! The device.

use std::ffi::{c_char, c_int, c_uint};

use cuda_sys::{CUdevice, CUdevice_attribute as Attribute, CUresult, CUuuid};

use crate::{idle, store};

/// CUDA's total and free memory, in bytes, whatever is allocated.
pub(super) const TOTAL: usize = 81_000 << 20;

/// The identity of the first default device of a simulated machine.
const UUID: CUuuid = CUuuid { bytes: *b"vgpu sIm\xa0\x40\x00\x80\x00\x00\x00\x00" };

const NAME: &[u8] = b"NVIDIA H100 80GB HBM3\0";
const PCI: &[u8] = b"0000:1B:00.0\0";

idle! {
    cuInit(c_uint);
}

pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> CUresult {
    // SAFETY: the caller's place for a number.
    unsafe { store(count, 1) }
}

pub unsafe extern "C" fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult {
    if ordinal != 0 {
        return CUresult::INVALID_DEVICE;
    }
    // SAFETY: the caller's place for a device.
    unsafe { store(device, 0) }
}

pub unsafe extern "C" fn cuDeviceGetUuid(uuid: *mut CUuuid, _: CUdevice) -> CUresult {
    // SAFETY: the caller's place for a UUID.
    unsafe { store(uuid, UUID) }
}

pub use cuDeviceGetUuid as cuDeviceGetUuid_v2;

pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: CUdevice) -> CUresult {
    // SAFETY: the caller's place for a size.
    unsafe { store(bytes, TOTAL) }
}

/// What decides about launches; every other attribute is 0.
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: Attribute,
    _: CUdevice,
) -> CUresult {
    let known = match attribute {
        Attribute::MULTIPROCESSOR_COUNT => 132,
        Attribute::MAX_THREADS_PER_MULTIPROCESSOR => 2048,
        Attribute::MAX_THREADS_PER_BLOCK => 1024,
        Attribute::WARP_SIZE => 32,
        Attribute::COMPUTE_CAPABILITY_MAJOR => 9,
        Attribute::PCI_BUS_ID => 0x1b,
        Attribute::UNIFIED_ADDRESSING | Attribute::MANAGED_MEMORY | Attribute::CONCURRENT_MANAGED_ACCESS => 1,
        _ => 0,
    };
    // SAFETY: the caller's place for a number.
    unsafe { store(value, known) }
}

pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, _: CUdevice) -> CUresult {
    // SAFETY: passed on.
    unsafe { text(name, length, NAME) }
}

pub unsafe extern "C" fn cuDeviceGetPCIBusId(name: *mut c_char, length: c_int, _: CUdevice) -> CUresult {
    // SAFETY: passed on.
    unsafe { text(name, length, PCI) }
}

/// # Safety
///
/// `place` must be null or valid for writes of `length` bytes.
unsafe fn text(place: *mut c_char, length: c_int, text: &[u8]) -> CUresult {
    if place.is_null() || usize::try_from(length).is_ok_and(|room| room < text.len()) {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the text fits.
    unsafe { place.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    CUresult::SUCCESS
}
