//! Physical memory without an address: charged when it is created, on the device it is created on, and given back when
//! its last handle is released and its last mapping undone, unless others can still hold it. Address ranges cost nothing, and
//! what another process has created is that one's.

use crate::abi::driver::real;
use crate::state::{Member, Place, of_location, slice};
use contract::Bytes;
use core::mem::MaybeUninit;
use cuda_sys::*;
use shared_region::{DeviceIndex, MemoryClass};
use tracker::Piece;

pub(crate) unsafe fn cuMemCreate(
    handle: *mut CUmemGenericAllocationHandle,
    size: usize,
    prop: *const CUmemAllocationProp,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemCreate(handle, size, prop, flags) };
    // SAFETY: the application gave it for reading.
    let location = unsafe { prop.as_ref() }.map(|prop| prop.location);
    // Memory of the host, and what the driver is going to reject.
    let Some(ordinal) = location.and_then(of_location) else { return call() };
    if size == 0 || handle.is_null() {
        return call();
    }
    let place = match Place::on(ordinal) {
        Ok(Some(place)) => place,
        Ok(None) => return call(),
        Err(code) => return code,
    };
    let bytes = Bytes(size as u64);
    let reservation = match place.reserve(MemoryClass::Physical, bytes) {
        Ok(reservation) => reservation,
        Err(code) => return code,
    };
    let result = reservation.allocate(call);
    if result.is_success() {
        reservation.keep();
        // SAFETY: the driver has written the new handle there.
        let handle = unsafe { *handle };
        place.member.physical.lock().create(handle, Piece { device: place.device.index, ordinal, bytes });
    }
    result
}

pub(crate) unsafe fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult {
    // SAFETY: the application's own argument.
    let call = || unsafe { real::cuMemRelease(handle) };
    let Some(member) = member() else { return call() };
    let Some(id) = member.physical.lock().find(handle) else { return call() };
    member.let_go(
        call,
        |result, physical| {
            if result.is_success() { physical.released(handle, id) } else { Vec::new() }
        },
    )
}

pub(crate) unsafe fn cuMemRetainAllocationHandle(
    handle: *mut CUmemGenericAllocationHandle,
    addr: *mut c_void,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemRetainAllocationHandle(handle, addr) };
    if let Some(member) = member().filter(|_| result.is_success()) {
        let mut physical = member.physical.lock();
        if let Some(id) = physical.mapped_at(addr as u64) {
            // SAFETY: the driver has written the handle there.
            physical.retain(unsafe { *handle }, id);
        }
    }
    result
}

/// A mapping keeps the memory when all its handles are released.
pub(crate) unsafe fn cuMemMap(
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemMap(ptr, size, offset, handle, flags) };
    let Some(member) = member() else { return call() };
    let Some(id) = member.physical.lock().find(handle) else { return call() };
    let result = call();
    if result.is_success() {
        member.physical.lock().map(ptr, size as u64, id);
    }
    result
}

pub(crate) unsafe fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemUnmap(ptr, size) };
    let Some(member) = member() else { return call() };
    // Forgotten before, because another thread may map something else there at once.
    let mappings = member.physical.lock().take_mappings(ptr, size as u64);
    member.let_go(call, |result, physical| {
        if result.is_success() {
            return mappings.into_iter().flat_map(|mapping| physical.unmapped(mapping.id)).collect();
        }
        physical.put_back(mappings);
        Vec::new()
    })
}

pub(crate) unsafe fn cuMemExportToShareableHandle(
    shareable: *mut c_void,
    handle: CUmemGenericAllocationHandle,
    kind: CUmemAllocationHandleType,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemExportToShareableHandle(shareable, handle, kind, flags) };
    let is_descriptor = kind == CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR;
    if let Some(member) = member().filter(|_| result.is_success()) {
        let exported = member.physical.lock().find(handle);
        // SAFETY: the driver has written the descriptor, an int, there.
        let descriptor = || unsafe { shareable.cast::<c_int>().read_unaligned() };
        if let Some(id) = exported {
            member.exported(id, is_descriptor.then(descriptor));
        }
    }
    result
}

pub(crate) unsafe fn cuMemImportFromShareableHandle(
    handle: *mut CUmemGenericAllocationHandle,
    shareable: *mut c_void,
    kind: CUmemAllocationHandleType,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemImportFromShareableHandle(handle, shareable, kind) };
    // A process that has taken nothing yet may begin with this.
    let Some(member) = slice().ok().flatten().and_then(|slice| slice.member()) else { return call() };
    let is_descriptor = kind == CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR;
    // The descriptor itself is passed instead of an address.
    let descriptor = c_int::try_from(shareable.addr()).ok().filter(|_| is_descriptor);
    member.import(descriptor, call, || {
        // SAFETY: the driver has written the handle there.
        let handle = unsafe { *handle };
        (handle, device_of(handle))
    })
}

/// The device that the memory behind a handle is on, if it is one of the slice's.
fn device_of(handle: CUmemGenericAllocationHandle) -> Option<DeviceIndex> {
    let mut properties = MaybeUninit::<CUmemAllocationProp>::uninit();
    // SAFETY: `properties` is valid for writing.
    let result = unsafe { real::cuMemGetAllocationPropertiesFromHandle(properties.as_mut_ptr(), handle) };
    if !result.is_success() {
        return None;
    }
    // SAFETY: the driver has written them.
    let ordinal = of_location(unsafe { properties.assume_init() }.location)?;
    Place::on(ordinal).ok().flatten().map(|place| place.device.index)
}

fn member() -> Option<&'static Member> {
    slice().ok().flatten().and_then(|slice| slice.member_if_joined())
}
