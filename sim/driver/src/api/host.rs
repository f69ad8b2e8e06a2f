//! Host memory that devices can reach.

use std::ffi::{c_uint, c_void};

use cuda_sys::CUresult;

use crate::abi::{AddressOut, Current, Out, Size};
use crate::outcome::Outcome;

/// Portable, mapped to devices, write-combined.
const ALLOC_FLAGS: c_uint = 7;
/// Portable, mapped to devices, of an I/O device, read-only.
const REGISTER_FLAGS: c_uint = 15;

fn allocate(call: &Current, place: &Out<*mut c_void>, bytes: Size, flags: c_uint) -> Outcome {
    let start = call.driver.host_memory.allocate(bytes.0, flags, call.context.handle)?;
    place.set(std::ptr::with_exposed_provenance_mut(start));
    Ok(())
}

pub(crate) fn cuMemAllocHost_v2(call: Current, place: Out<*mut c_void>, bytes: Size) -> Outcome {
    allocate(&call, &place, bytes, 0)
}

pub(crate) fn cuMemHostAlloc(call: Current, place: Out<*mut c_void>, bytes: Size, flags: c_uint) -> Outcome {
    if flags & !ALLOC_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    allocate(&call, &place, bytes, flags)
}

/// Waits for the context's work, which may use the memory.
pub(crate) fn cuMemFreeHost(call: Current, pointer: *mut c_void) -> Outcome {
    call.context.synchronize(call.driver)?;
    call.driver.host_memory.free(pointer.addr())
}

pub(crate) fn cuMemHostRegister_v2(
    call: Current,
    pointer: *mut c_void,
    bytes: Size,
    flags: c_uint,
) -> Outcome {
    if flags & !REGISTER_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call.driver.host_memory.register(pointer.addr(), bytes.0, flags, call.context.handle)
}

pub(crate) fn cuMemHostUnregister(call: Current, pointer: *mut c_void) -> Outcome {
    call.context.synchronize(call.driver)?;
    call.driver.host_memory.unregister(pointer.addr())
}

/// The same address: addresses are unified.
pub(crate) fn cuMemHostGetDevicePointer_v2(
    call: Current,
    address: AddressOut,
    pointer: *mut c_void,
    flags: c_uint,
) -> Outcome {
    address.require()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call.driver.host_memory.holding(pointer.addr()).ok_or(CUresult::INVALID_VALUE)?;
    address.set(pointer.addr() as u64);
    Ok(())
}

pub(crate) fn cuMemHostGetFlags(call: Current, flags: Out<c_uint>, pointer: *mut c_void) -> Outcome {
    let block = call.driver.host_memory.holding(pointer.addr()).ok_or(CUresult::INVALID_VALUE)?;
    flags.set(block.flags);
    Ok(())
}

same! {
    cuMemAllocHost_v2: cuMemAllocHost;
    cuMemHostRegister_v2: cuMemHostRegister;
}
