//! Address ranges, and what is mapped there.

use std::ffi::c_ulonglong;
use std::ops::Range;
use std::sync::Arc;

use cuda_sys::{
    CUmemAccess_flags as Access, CUmemAccessDesc, CUmemGenericAllocationHandle, CUmemLocation,
    CUmemLocationType as LocationType, CUresult,
};

use crate::abi::{Address, AddressOut, Given, Out, Ready, Size};
use crate::address::{HOST, Mapping};
use crate::handles::lock;
use crate::memory::Physical;
use crate::outcome::Outcome;

/// Pages of the host: sizes and addresses of reservations are whole ones.
const PAGE: u64 = 4096;

pub(crate) fn cuMemAddressReserve(
    call: Ready,
    address: AddressOut,
    size: Size,
    alignment: Size,
    wanted: Address,
    flags: c_ulonglong,
) -> Outcome {
    address.require()?;
    let (bytes, alignment) = (size.0 as u64, alignment.0 as u64);
    let is_aligned = alignment == 0 || alignment.is_power_of_two();
    let are_pages = bytes != 0 && bytes.is_multiple_of(PAGE) && wanted.0.is_multiple_of(PAGE);
    if flags != 0 || !is_aligned || !are_pages {
        return Err(CUresult::INVALID_VALUE);
    }
    let start = lock(&call.driver.space).reserve_range(bytes, alignment, wanted.0);
    address.set(start.ok_or(CUresult::OUT_OF_MEMORY)?);
    Ok(())
}

pub(crate) fn cuMemAddressFree(call: Ready, address: Address, size: Size) -> Outcome {
    lock(&call.driver.space).free_range(address.0, size.0 as u64)
}

/// From the first byte of the memory, as the documentation demands.
pub(crate) fn cuMemMap(
    call: Ready,
    address: Address,
    size: Size,
    offset: Size,
    handle: CUmemGenericAllocationHandle,
    flags: c_ulonglong,
) -> Outcome {
    let part = part(&call, address, size)?;
    if offset.0 != 0 || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut space = lock(&call.driver.space);
    let physical = Physical::of(call.driver, &space, handle)?;
    if part.end - part.start > physical.state.range.bytes.0 {
        return Err(CUresult::INVALID_VALUE);
    }
    space.map(part, Arc::clone(&physical), call.driver.physical.store(&call.driver.client)?)?;
    physical.mapped(&space);
    Ok(())
}

pub(crate) fn cuMemUnmap(call: Ready, address: Address, size: Size) -> Outcome {
    let part = part(&call, address, size)?;
    let mut space = lock(&call.driver.space);
    for physical in space.unmap(&part)? {
        physical.unmapped(call.driver, &space)?;
    }
    Ok(())
}

/// # Safety
///
/// `wanted` must be null or `count` descriptions.
pub(crate) unsafe fn cuMemSetAccess(
    call: Ready,
    address: Address,
    size: Size,
    wanted: *const CUmemAccessDesc,
    count: Size,
) -> Outcome {
    let part = part(&call, address, size)?;
    if wanted.is_null() || count.0 == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut space = lock(&call.driver.space);
    let mappings = space.are_mapped(&part)?;
    let mut checked = Vec::new();
    for index in 0..count.0 {
        // SAFETY: below the count.
        let wanted = unsafe { wanted.wrapping_add(index).read_unaligned() };
        checked.push((who(&call, wanted, &mappings)?, wanted.flags));
    }
    let store = call.driver.physical.store(&call.driver.client)?;
    checked.into_iter().try_for_each(|(who, flags)| space.set_access(&part, who, flags, store))
}

/// Whom a description is about, if that one can have this access: devices do not reach each other's memory, and the program
/// reaches the host's alone.
fn who(call: &Ready, wanted: CUmemAccessDesc, mappings: &[&Mapping]) -> Outcome<i32> {
    let is_nothing = match wanted.flags {
        Access::PROT_NONE => true,
        Access::PROT_READ | Access::PROT_READWRITE => false,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let (who, index) = match wanted.location.kind {
        LocationType::DEVICE => {
            let device = call.driver.device(wanted.location.id)?;
            (device.ordinal, Some(device.description.index))
        }
        LocationType::HOST | LocationType::HOST_NUMA => (HOST, None),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let reaches = |mapping: &&Mapping| {
        let home = mapping.physical.state.device;
        home == index || home.is_none()
    };
    if is_nothing || mappings.iter().all(reaches) { Ok(who) } else { Err(CUresult::INVALID_DEVICE) }
}

pub(crate) fn cuMemGetAccess(
    call: Ready,
    flags: Out<c_ulonglong>,
    location: Given<CUmemLocation>,
    address: Address,
) -> Outcome {
    let who = match location.0.kind {
        LocationType::DEVICE => call.driver.device(location.0.id)?.ordinal,
        LocationType::HOST | LocationType::HOST_NUMA => HOST,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let space = lock(&call.driver.space);
    let mapping = space.mapping_at(address.0).ok_or(CUresult::INVALID_VALUE)?;
    flags.set(mapping.access(who).0.into());
    Ok(())
}

/// Addresses that are whole chunks.
fn part(call: &Ready, address: Address, size: Size) -> Outcome<Range<u64>> {
    let chunk = call.driver.devices.first().ok_or(CUresult::NO_DEVICE)?.description.card.chunk.0;
    let bytes = size.0 as u64;
    let end = address.0.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let is_whole = bytes != 0 && bytes.is_multiple_of(chunk) && address.0.is_multiple_of(chunk);
    if is_whole { Ok(address.0..end) } else { Err(CUresult::INVALID_VALUE) }
}
