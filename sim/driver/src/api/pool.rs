//! Stream-ordered memory and its pools.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use cuda_sys::{
    CUdevice, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationType,
    CUmemLocation, CUmemLocationType, CUmemPool_attribute as Attribute, CUmemPoolProps, CUresult,
};
use sim_kernel::Bytes;

use crate::abi::{Address, AddressOut, Current, Given, Handle, HandleOut, Out, Ready, Size};
use crate::device::Device;
use crate::memory::{self, DevicePools, HostPlace, Pool};
use crate::outcome::Outcome;
use crate::work::forbid_unsafe;

pub(crate) fn cuMemAllocAsync(call: Current, address: AddressOut, bytes: Size, stream: Handle) -> Outcome {
    let lane = call.lane(stream.0)?;
    let pool = DevicePools::current_of(call.driver, call.driver.device(lane.context.device)?)?;
    address.require()?;
    address.set(memory::allocate_from_pool(call.driver, &pool, &lane, bytes.0)?);
    Ok(())
}

pub(crate) fn cuMemAllocFromPoolAsync(
    call: Current,
    address: AddressOut,
    bytes: Size,
    pool: Handle,
    stream: Handle,
) -> Outcome {
    let (pool, lane) = (Pool::of(call.driver, pool.0)?, call.lane(stream.0)?);
    address.require()?;
    address.set(memory::allocate_from_pool(call.driver, &pool, &lane, bytes.0)?);
    Ok(())
}

pub(crate) fn cuMemFreeAsync(call: Current, address: Address, stream: Handle) -> Outcome {
    memory::free_in_stream(call.driver, &call.lane(stream.0)?, address.0)
}

/// Pools of host memory, or of device memory, which other processes can import by a descriptor.
pub(crate) fn cuMemPoolCreate(call: Ready, made: HandleOut, properties: Given<CUmemPoolProps>) -> Outcome {
    let properties = properties.0;
    let place = place_of(&call, properties.location, properties.allocType)?;
    let is_shareable = match properties.handleTypes {
        CUmemAllocationHandleType::NONE => false,
        CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR => true,
        _ => return Err(CUresult::NOT_SUPPORTED),
    };
    let most = (properties.maxSize != 0).then_some(Bytes(properties.maxSize as u64));
    let pool = match place {
        Where::Device(device) => Pool::create(call.driver, device, most, is_shareable)?,
        Where::Host(_) if is_shareable => return Err(CUresult::NOT_SUPPORTED),
        Where::Host(_) => Pool::of_host(call.driver, most, false),
    };
    made.set(pool.handle);
    Ok(())
}

/// Where a pool's memory is.
enum Where<'a> {
    Device(&'a Device),
    Host(HostPlace),
}

/// Where pinned memory at a location is; managed memory of pools is not simulated.
fn place_of(call: &Ready, location: CUmemLocation, kind: CUmemAllocationType) -> Outcome<Where<'_>> {
    match (location.kind, kind) {
        (CUmemLocationType::DEVICE, CUmemAllocationType::PINNED) => {
            call.driver.device(location.id).map(Where::Device)
        }
        (CUmemLocationType::HOST, CUmemAllocationType::PINNED) => Ok(Where::Host(HostPlace::Anywhere)),
        (CUmemLocationType::HOST_NUMA, CUmemAllocationType::PINNED) if location.id == 0 => {
            Ok(Where::Host(HostPlace::OnlyNode))
        }
        (CUmemLocationType::HOST_NUMA_CURRENT, CUmemAllocationType::PINNED) => {
            Ok(Where::Host(HostPlace::OnlyNode))
        }
        (CUmemLocationType::INVALID | CUmemLocationType::HOST_NUMA, CUmemAllocationType::PINNED)
        | (_, CUmemAllocationType::INVALID) => Err(CUresult::INVALID_VALUE),
        _ => Err(CUresult::NOT_SUPPORTED),
    }
}

/// The device of pinned memory at a location.
fn device_of(call: &Ready, location: CUmemLocation, kind: CUmemAllocationType) -> Outcome<&Device> {
    match place_of(call, location, kind)? {
        Where::Device(device) => Ok(device),
        Where::Host(_) => Err(CUresult::NOT_SUPPORTED),
    }
}

pub(crate) fn cuMemPoolDestroy(call: Ready, pool: Handle) -> Outcome {
    Pool::destroy(call.driver, pool.0)
}

pub(crate) fn cuMemPoolTrimTo(call: Ready, pool: Handle, keep: Size) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    forbid_unsafe(call.driver)?;
    pool.trim(call.driver, keep.0 as u64)
}

/// # Safety
///
/// `value` must be null or a place for a value of the attribute's type.
pub(crate) unsafe fn cuMemPoolGetAttribute(
    call: Ready,
    pool: Handle,
    attribute: Attribute,
    value: *mut c_void,
) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if let Some(switch) = pool.switch(attribute) {
        // SAFETY: not null, so a place for a switch, which is an int.
        unsafe { value.cast::<i32>().write_unaligned(Pool::is_on(switch).into()) };
        return Ok(());
    }
    let state = pool.state(call.driver)?;
    let amount = match attribute {
        Attribute::RELEASE_THRESHOLD => state.threshold,
        Attribute::RESERVED_MEM_CURRENT => state.reserved,
        Attribute::RESERVED_MEM_HIGH => state.reserved_peak,
        Attribute::USED_MEM_CURRENT => state.used,
        Attribute::USED_MEM_HIGH => state.used_peak,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    // SAFETY: not null, so a place for an amount, which has 64 bits.
    unsafe { value.cast::<u64>().write_unaligned(amount.0) };
    Ok(())
}

/// # Safety
///
/// `value` must be null or a value of the attribute's type.
pub(crate) unsafe fn cuMemPoolSetAttribute(
    call: Ready,
    pool: Handle,
    attribute: Attribute,
    value: *mut c_void,
) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if let Some(switch) = pool.switch(attribute) {
        // SAFETY: not null, so a switch, which is an int.
        switch.store(unsafe { value.cast::<i32>().read_unaligned() } != 0, Ordering::Release);
        return Ok(());
    }
    // SAFETY: not null, so an amount: every attribute that can be set and is no switch is one of 64 bits. One that
    // cannot be set has an amount, too, if it is the driver's.
    let amount = || unsafe { value.cast::<u64>().read_unaligned() };
    match attribute {
        Attribute::RELEASE_THRESHOLD => pool.set_threshold(call.driver, amount()),
        // A peak can only begin anew.
        Attribute::RESERVED_MEM_HIGH if amount() == 0 => pool.reset_peaks(call.driver, true, false),
        Attribute::USED_MEM_HIGH if amount() == 0 => pool.reset_peaks(call.driver, false, true),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The pool's own device always has access, and no other can have it.
///
/// # Safety
///
/// `map` must be null or `count` descriptions.
pub(crate) unsafe fn cuMemPoolSetAccess(
    call: Ready,
    pool: Handle,
    map: *const CUmemAccessDesc,
    count: Size,
) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    if map.is_null() {
        return if count.0 == 0 { Ok(()) } else { Err(CUresult::INVALID_VALUE) };
    }
    for index in 0..count.0 {
        // SAFETY: below the count.
        let wanted = unsafe { map.wrapping_add(index).read_unaligned() };
        let device = device_of(&call, wanted.location, CUmemAllocationType::PINNED)?;
        match (device.ordinal == pool.device, wanted.flags) {
            (true, CUmemAccess_flags::PROT_READWRITE) | (false, CUmemAccess_flags::PROT_NONE) => {}
            (true, _) => return Err(CUresult::INVALID_VALUE),
            (false, _) => return Err(CUresult::INVALID_DEVICE),
        }
    }
    Ok(())
}

/// # Safety
///
/// `location` must be null or a location.
pub(crate) unsafe fn cuMemPoolGetAccess(
    call: Ready,
    access: Out<CUmemAccess_flags>,
    pool: Handle,
    location: *mut CUmemLocation,
) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    // SAFETY: passed on.
    let device = device_of(&call, unsafe { read(location) }?, CUmemAllocationType::PINNED)?;
    let own = device.ordinal == pool.device;
    access.set(if own { CUmemAccess_flags::PROT_READWRITE } else { CUmemAccess_flags::PROT_NONE });
    Ok(())
}

/// # Safety
///
/// `location` must be null or a location.
unsafe fn read(location: *const CUmemLocation) -> Outcome<CUmemLocation> {
    if location.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so a location.
    Ok(unsafe { location.read_unaligned() })
}

pub(crate) fn cuDeviceGetDefaultMemPool(call: Ready, pool: HandleOut, device: CUdevice) -> Outcome {
    pool.set(DevicePools::default_of(call.driver, call.driver.device(device)?)?.handle);
    Ok(())
}

pub(crate) fn cuDeviceGetMemPool(call: Ready, pool: HandleOut, device: CUdevice) -> Outcome {
    pool.set(DevicePools::current_of(call.driver, call.driver.device(device)?)?.handle);
    Ok(())
}

pub(crate) fn cuDeviceSetMemPool(call: Ready, device: CUdevice, pool: Handle) -> Outcome {
    DevicePools::set_current(call.driver.device(device)?, Pool::of(call.driver, pool.0)?)
}

/// # Safety
///
/// `location` must be null or a location.
pub(crate) unsafe fn cuMemGetDefaultMemPool(
    call: Ready,
    pool: HandleOut,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
) -> Outcome {
    // SAFETY: passed on.
    let found = match place_of(&call, unsafe { read(location) }?, kind)? {
        Where::Device(device) => DevicePools::default_of(call.driver, device)?,
        Where::Host(place) => call.driver.host_memory.pools.default_of(call.driver, place),
    };
    pool.set(found.handle);
    Ok(())
}

/// # Safety
///
/// As for [`cuMemGetDefaultMemPool`].
pub(crate) unsafe fn cuMemGetMemPool(
    call: Ready,
    pool: HandleOut,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
) -> Outcome {
    // SAFETY: passed on.
    let found = match place_of(&call, unsafe { read(location) }?, kind)? {
        Where::Device(device) => DevicePools::current_of(call.driver, device)?,
        Where::Host(place) => call.driver.host_memory.pools.current_of(call.driver, place),
    };
    pool.set(found.handle);
    Ok(())
}

/// # Safety
///
/// As for [`cuMemGetDefaultMemPool`].
pub(crate) unsafe fn cuMemSetMemPool(
    call: Ready,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
    pool: Handle,
) -> Outcome {
    // SAFETY: passed on.
    match place_of(&call, unsafe { read(location) }?, kind)? {
        Where::Device(device) => DevicePools::set_current(device, Pool::of(call.driver, pool.0)?),
        Where::Host(place) => {
            call.driver.host_memory.pools.set_current(place, Pool::of(call.driver, pool.0)?)
        }
    }
}

same! {
    cuMemAllocAsync: cuMemAllocAsync_ptsz;
    cuMemAllocFromPoolAsync: cuMemAllocFromPoolAsync_ptsz;
    cuMemFreeAsync: cuMemFreeAsync_ptsz;
}
