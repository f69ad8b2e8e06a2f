//! Physical memory: created, shared and released by handle.

use std::ffi::{c_int, c_ulonglong, c_void};
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::ptr::null_mut;

use cuda_sys::{
    CUmemAllocationGranularity_flags as Granularity, CUmemAllocationHandleType as HandleType,
    CUmemAllocationProp, CUmemAllocationPropFlags, CUmemAllocationType, CUmemGenericAllocationHandle,
    CUmemLocation, CUmemLocationType as LocationType, CUresult,
};
use sim_kernel::{Bytes, DeviceIndex};

use crate::abi::{Given, Out, Ready, SizeOut};
use crate::handles::lock;
use crate::memory::{Physical, Properties};
use crate::outcome::Outcome;
use crate::process::{Driver, code};
use crate::profile::Profile;
use crate::width::to_usize;

/// The API that knows memory of a NUMA node of the host, and the one that knows the host as a whole.
const HOST_NUMA_SINCE: u32 = 12_020;
const HOST_SINCE: u32 = 13_000;

/// Every type of handle that there is, on any system.
const KNOWN_TYPES: u32 = 15;

/// Where memory of these properties is, and the granularity of it there.
fn place_of(driver: &Driver, wanted: &CUmemAllocationProp) -> Outcome<(Option<DeviceIndex>, Bytes)> {
    let version = Profile::installed().api_version;
    if wanted.kind != CUmemAllocationType::PINNED {
        return Err(CUresult::INVALID_VALUE);
    }
    let chunk = driver.devices.first().ok_or(CUresult::NO_DEVICE)?.description.card.chunk;
    match wanted.location.kind {
        LocationType::DEVICE => {
            let device = &driver.device(wanted.location.id)?.description;
            Ok((Some(device.index), device.card.chunk))
        }
        LocationType::HOST_NUMA if version >= HOST_NUMA_SINCE && wanted.location.id == 0 => Ok((None, chunk)),
        LocationType::HOST if version >= HOST_SINCE => Ok((None, chunk)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn cuMemGetAllocationGranularity(
    call: Ready,
    granularity: SizeOut,
    properties: Given<CUmemAllocationProp>,
    option: Granularity,
) -> Outcome {
    if !matches!(option, Granularity::MINIMUM | Granularity::RECOMMENDED) {
        return Err(CUresult::INVALID_VALUE);
    }
    granularity.set(to_usize(place_of(call.driver, &properties.0)?.1.0));
    Ok(())
}

pub(crate) fn cuMemCreate(
    call: Ready,
    handle: Out<CUmemGenericAllocationHandle>,
    size: usize,
    properties: Given<CUmemAllocationProp>,
    flags: c_ulonglong,
) -> Outcome {
    let wanted = properties.0;
    let (device, chunk) = place_of(call.driver, &wanted)?;
    let bytes = size as u64;
    if flags != 0 || bytes == 0 || !bytes.is_multiple_of(chunk.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    check_types(wanted.requestedHandleTypes)?;
    let state = call.driver.client.create_piece(device, Bytes(bytes)).map_err(code)?;
    let properties = Properties {
        handle_types: wanted.requestedHandleTypes,
        location: wanted.location,
        flags: wanted.allocFlags,
    };
    handle.set(Physical::insert(call.driver, state, properties) as u64);
    Ok(())
}

/// Only descriptors are simulated: there is no fabric here, and no other system.
fn check_types(wanted: HandleType) -> Outcome {
    if wanted.0 & !KNOWN_TYPES != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let others = wanted.0 & !HandleType::POSIX_FILE_DESCRIPTOR.0;
    if others == 0 { Ok(()) } else { Err(CUresult::NOT_SUPPORTED) }
}

pub(crate) fn cuMemRelease(call: Ready, handle: CUmemGenericAllocationHandle) -> Outcome {
    let space = lock(&call.driver.space);
    Physical::of(call.driver, &space, handle)?.released(call.driver, &space)
}

pub(crate) fn cuMemRetainAllocationHandle(
    call: Ready,
    handle: Out<CUmemGenericAllocationHandle>,
    address: *mut c_void,
) -> Outcome {
    let space = lock(&call.driver.space);
    let mapping = space.mapping_at(address.addr() as u64).ok_or(CUresult::INVALID_VALUE)?;
    mapping.physical.retain(&space);
    handle.set(mapping.physical.handle as u64);
    Ok(())
}

pub(crate) fn cuMemGetAllocationPropertiesFromHandle(
    call: Ready,
    properties: Out<CUmemAllocationProp>,
    handle: CUmemGenericAllocationHandle,
) -> Outcome {
    let physical = Physical::of(call.driver, &lock(&call.driver.space), handle)?;
    let Properties { handle_types, location, flags } = physical.properties;
    properties.set(CUmemAllocationProp {
        kind: CUmemAllocationType::PINNED,
        requestedHandleTypes: handle_types,
        location,
        win32HandleMetaData: null_mut(),
        allocFlags: flags,
    });
    Ok(())
}

/// # Safety
///
/// `shareable` must be null or a place for a handle of the type.
pub(crate) unsafe fn cuMemExportToShareableHandle(
    call: Ready,
    shareable: *mut c_void,
    handle: CUmemGenericAllocationHandle,
    kind: HandleType,
    flags: c_ulonglong,
) -> Outcome {
    if shareable.is_null() || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let space = lock(&call.driver.space);
    let physical = Physical::of(call.driver, &space, handle)?;
    let is_allowed = kind.0.is_power_of_two() && kind.0 & physical.properties.handle_types.0 != 0;
    if !is_allowed {
        return Err(CUresult::INVALID_VALUE);
    }
    let descriptor = call.driver.client.export_piece(physical.state.id).map_err(code)?;
    // SAFETY: not null, so a place for a descriptor: memory is created with no other type.
    unsafe { shareable.cast::<c_int>().write_unaligned(descriptor.into_raw_fd()) };
    Ok(())
}

/// A handle of its own, also in the process that has created the memory.
pub(crate) fn cuMemImportFromShareableHandle(
    call: Ready,
    handle: Out<CUmemGenericAllocationHandle>,
    shareable: *mut c_void,
    kind: HandleType,
) -> Outcome {
    check_types(kind)?;
    // The descriptor itself is passed instead of an address.
    let number = c_int::try_from(shareable.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    if kind != HandleType::POSIX_FILE_DESCRIPTOR {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: any number but -1, which the conversion has left out, may be asked about.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let client = &call.driver.client;
    let state = client.import_piece(descriptor).map_err(code)?;
    let Some(location) = location_of(call.driver, state.device) else {
        client.drop_piece(state.id).map_err(code)?;
        return Err(CUresult::INVALID_DEVICE);
    };
    let properties = Properties { handle_types: kind, location, flags: CUmemAllocationPropFlags::default() };
    handle.set(Physical::insert(call.driver, state, properties) as u64);
    Ok(())
}

/// Where a device of the machine is to this process; `None` when it cannot see it.
fn location_of(driver: &Driver, device: Option<DeviceIndex>) -> Option<CUmemLocation> {
    let Some(index) = device else {
        return Some(CUmemLocation { kind: LocationType::HOST_NUMA, id: 0 });
    };
    let device = driver.devices.iter().find(|device| device.description.index == index)?;
    Some(CUmemLocation { kind: LocationType::DEVICE, id: device.ordinal })
}
