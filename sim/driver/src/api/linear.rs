//! Device memory.

use std::ffi::c_uint;

use cuda_sys::CUresult;

use crate::abi::{Address, AddressOut, Current, MaybeSizeOut, Size, SizeOut};
use crate::address::Kind;
use crate::handles::lock;
use crate::memory;
use crate::outcome::Outcome;
use crate::process::code;
use crate::width::to_usize;
use crate::work::forbid_unsafe;

/// `cuMemAllocManaged`: visible to every stream or to none until it is attached to one.
const ATTACH_GLOBAL: c_uint = 1;
const ATTACH_HOST: c_uint = 2;

fn allocate(call: &Current, address: &AddressOut, bytes: Size, kind: Kind) -> Outcome {
    address.require()?;
    forbid_unsafe(call.driver)?;
    address.set(memory::allocate(call.driver, &call.context, bytes.0, kind)?);
    Ok(())
}

pub(crate) fn cuMemAlloc(call: Current, address: AddressOut, bytes: Size) -> Outcome {
    allocate(&call, &address, bytes, Kind::Low)
}

pub(crate) fn cuMemAlloc_v2(call: Current, address: AddressOut, bytes: Size) -> Outcome {
    allocate(&call, &address, bytes, Kind::Device)
}

pub(crate) fn cuMemAllocManaged(call: Current, address: AddressOut, bytes: Size, flags: c_uint) -> Outcome {
    if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
        return Err(CUresult::INVALID_VALUE);
    }
    allocate(&call, &address, bytes, Kind::Managed)
}

fn allocate_pitched(
    call: &Current,
    (address, pitch): (&AddressOut, &SizeOut),
    (row, rows): (Size, Size),
    element: c_uint,
    kind: Kind,
) -> Outcome {
    address.require()?;
    forbid_unsafe(call.driver)?;
    let (start, distance) =
        memory::allocate_pitched(call.driver, &call.context, (row.0, rows.0), element, kind)?;
    address.set(start);
    pitch.set(to_usize(distance));
    Ok(())
}

pub(crate) fn cuMemAllocPitch(
    call: Current,
    address: AddressOut,
    pitch: SizeOut,
    row: Size,
    rows: Size,
    element: c_uint,
) -> Outcome {
    allocate_pitched(&call, (&address, &pitch), (row, rows), element, Kind::Low)
}

pub(crate) fn cuMemAllocPitch_v2(
    call: Current,
    address: AddressOut,
    pitch: SizeOut,
    row: Size,
    rows: Size,
    element: c_uint,
) -> Outcome {
    allocate_pitched(&call, (&address, &pitch), (row, rows), element, Kind::Device)
}

pub(crate) fn cuMemFree_v2(call: Current, address: Address) -> Outcome {
    forbid_unsafe(call.driver)?;
    memory::free(call.driver, &call.context, address.0)
}

/// Of the whole device, whoever uses it.
pub(crate) fn cuMemGetInfo_v2(call: Current, free: MaybeSizeOut, total: MaybeSizeOut) -> Outcome {
    let device = call.driver.device(call.context.device)?;
    let memory = call.driver.client.memory(device.description.index).map_err(code)?;
    free.set(to_usize(memory.free.0));
    total.set(to_usize(memory.total.saturating_sub(memory.reserved).0));
    Ok(())
}

pub(crate) fn cuMemGetAddressRange_v2(
    call: Current,
    base: AddressOut,
    size: MaybeSizeOut,
    address: Address,
) -> Outcome {
    let (start, bytes) = memory::range_of(&lock(&call.driver.space), address.0)?;
    base.set(start);
    size.set(to_usize(bytes));
    Ok(())
}

same! {
    cuMemFree_v2: cuMemFree;
    cuMemGetInfo_v2: cuMemGetInfo;
    cuMemGetAddressRange_v2: cuMemGetAddressRange;
}
