//! Which pool an allocation comes from, and which device a pool's memory.

use super::super::device::Device;
use super::super::slice::Slice;
use super::super::start::slice;
use crate::abi::driver::real;
use core::ptr::null_mut;
use cuda_sys::{CUdevice, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemoryPool};

/// The device that memory at `location` is charged on; `None` for memory of the host.
pub(crate) fn of_location(location: CUmemLocation) -> Option<CUdevice> {
    match location.kind {
        CUmemLocationType::DEVICE => Some(location.id),
        // A part of a device, whose number is in the next byte.
        CUmemLocationType::DEVICE_LOCALITY_DOMAIN => Some(location.id & 0xff),
        _ => None,
    }
}

/// The pool that the current context's device allocates from.
pub(crate) fn current_pool() -> Option<CUmemoryPool> {
    let mut ordinal: CUdevice = 0;
    // SAFETY: `ordinal` is valid for writing.
    if !unsafe { real::cuCtxGetDevice(&raw mut ordinal) }.is_success() {
        return None;
    }
    let mut pool = CUmemoryPool(null_mut());
    // SAFETY: `pool` is valid for writing.
    let found = unsafe { real::cuDeviceGetMemPool(&raw mut pool, ordinal) };
    found.is_success().then_some(pool)
}

/// The device whose default pool this is, for any kind of memory. Every other pool of device memory is known, because it
/// was created through this library.
pub(super) fn default_on(handle: CUmemoryPool) -> Option<&'static Device> {
    let slice: &'static Slice = slice().ok().flatten()?;
    let mut count = 0;
    // SAFETY: `count` is valid for writing.
    if !unsafe { real::cuDeviceGetCount(&raw mut count) }.is_success() {
        return None;
    }
    let is_its = |ordinal: &CUdevice| KINDS.iter().any(|kind| default_pool(*ordinal, *kind) == Some(handle));
    (0..count).find(is_its).and_then(|ordinal| slice.device(ordinal))
}

/// The kinds of memory that a device has a pool for by default.
const KINDS: [CUmemAllocationType; 2] = [CUmemAllocationType::PINNED, CUmemAllocationType::MANAGED];

fn default_pool(ordinal: CUdevice, kind: CUmemAllocationType) -> Option<CUmemoryPool> {
    let mut pool = CUmemoryPool(null_mut());
    let found = if kind == CUmemAllocationType::PINNED {
        // SAFETY: `pool` is valid for writing.
        unsafe { real::cuDeviceGetDefaultMemPool(&raw mut pool, ordinal) }
    } else {
        let mut location = CUmemLocation { kind: CUmemLocationType::DEVICE, id: ordinal };
        // SAFETY: `pool` is valid for writing, `location` for reading. Drivers before 13.0 do not have it.
        unsafe { real::cuMemGetDefaultMemPool(&raw mut pool, &raw mut location, kind) }
    };
    found.is_success().then_some(pool)
}
