//! Where managed memory is.

use std::ffi::c_uint;

use cuda_sys::{CUdevice, CUmem_advise, CUmemLocation, CUmemLocationType, CUresult};
use sim_kernel::Location;

use crate::abi::{Address, Current, Handle, Size};
use crate::address::Kind;
use crate::handles::lock;
use crate::memory;
use crate::outcome::Outcome;

/// `CU_DEVICE_CPU`.
const HOST: CUdevice = -1;

fn location_of(call: &Current, device: CUdevice) -> Outcome<Location> {
    if device == HOST {
        return Ok(Location::Host);
    }
    let device = &call.driver.device(device)?.description;
    if !device.card.concurrent_managed_access {
        return Err(CUresult::INVALID_DEVICE);
    }
    Ok(Location::Device(device.index))
}

fn location(call: &Current, location: CUmemLocation) -> Outcome<Location> {
    match location.kind {
        CUmemLocationType::DEVICE => location_of(call, location.id),
        CUmemLocationType::HOST | CUmemLocationType::HOST_NUMA | CUmemLocationType::HOST_NUMA_CURRENT => {
            Ok(Location::Host)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The range must lie in one managed allocation.
fn check_range(call: &Current, address: u64, bytes: usize) -> Outcome {
    let space = lock(&call.driver.space);
    let managed = space.holding(address).is_some_and(|found| found.kind == Kind::Managed);
    if bytes == 0 || !managed || space.contents(address, bytes as u64).is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(())
}

/// The memory moves at the call, not when the stream comes to it.
fn prefetch(call: &Current, address: Address, bytes: Size, to: Location, stream: Handle) -> Outcome {
    check_range(call, address.0, bytes.0)?;
    call.lane(stream.0)?;
    memory::migrate(call.driver, address.0, bytes.0 as u64, to)
}

pub(crate) fn cuMemPrefetchAsync(
    call: Current,
    address: Address,
    bytes: Size,
    device: CUdevice,
    stream: Handle,
) -> Outcome {
    let to = location_of(&call, device)?;
    prefetch(&call, address, bytes, to, stream)
}

pub(crate) fn cuMemPrefetchAsync_v2(
    call: Current,
    address: Address,
    bytes: Size,
    to: CUmemLocation,
    flags: c_uint,
    stream: Handle,
) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let to = location(&call, to)?;
    prefetch(&call, address, bytes, to, stream)
}

/// Advice is checked and not followed: it never changes what a program computes.
pub(crate) fn cuMemAdvise(
    call: Current,
    address: Address,
    bytes: Size,
    advice: CUmem_advise,
    device: CUdevice,
) -> Outcome {
    check_advice(advice)?;
    check_range(&call, address.0, bytes.0)?;
    if needs_location(advice) {
        location_of(&call, device)?;
    }
    Ok(())
}

pub(crate) fn cuMemAdvise_v2(
    call: Current,
    address: Address,
    bytes: Size,
    advice: CUmem_advise,
    place: CUmemLocation,
) -> Outcome {
    check_advice(advice)?;
    check_range(&call, address.0, bytes.0)?;
    if needs_location(advice) {
        location(&call, place)?;
    }
    Ok(())
}

fn check_advice(advice: CUmem_advise) -> Outcome {
    let known = (CUmem_advise::SET_READ_MOSTLY..=CUmem_advise::UNSET_ACCESSED_BY).contains(&advice);
    if known { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

fn needs_location(advice: CUmem_advise) -> bool {
    matches!(
        advice,
        CUmem_advise::SET_PREFERRED_LOCATION
            | CUmem_advise::SET_ACCESSED_BY
            | CUmem_advise::UNSET_ACCESSED_BY
    )
}

same! {
    cuMemPrefetchAsync: cuMemPrefetchAsync_ptsz;
    cuMemPrefetchAsync_v2: cuMemPrefetchAsync_v2_ptsz;
}
