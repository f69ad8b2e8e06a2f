//! Devices.

use std::ffi::{c_char, c_int};

use cuda_sys::{CUdevice, CUdevice_P2PAttribute, CUdevice_attribute, CUdevprop, CUuuid};
use cuda_sys::{CUdevice_attribute as Attribute, CUresult};
use sim_kernel::PciAddress;

use crate::abi::{Out, Ready, SizeOut, Text};
use crate::outcome::Outcome;
use crate::width::to_usize;

pub(crate) fn cuDeviceGet(call: Ready, device: Out<CUdevice>, ordinal: c_int) -> Outcome {
    device.set(call.driver.device(ordinal)?.ordinal);
    Ok(())
}

pub(crate) fn cuDeviceGetCount(call: Ready, count: Out<c_int>) -> Outcome {
    count.set(call.driver.devices.last().map_or(0, |last| last.ordinal + 1));
    Ok(())
}

/// # Safety
///
/// `name` must be null or valid for writes of `length` bytes.
pub(crate) unsafe fn cuDeviceGetName(
    call: Ready,
    name: *mut c_char,
    length: c_int,
    device: CUdevice,
) -> Outcome {
    let text = &call.driver.device(device)?.description.card.name;
    let room = usize::try_from(length).unwrap_or(0);
    // A long name is cut.
    let shown = text.as_bytes().get(..room.saturating_sub(1)).unwrap_or(text.as_bytes());
    // SAFETY: passed on.
    unsafe { write_text(name, room, shown) }
}

/// # Safety
///
/// As for [`cuDeviceGetName`].
pub(crate) unsafe fn cuDeviceGetPCIBusId(
    call: Ready,
    text: *mut c_char,
    length: c_int,
    device: CUdevice,
) -> Outcome {
    let PciAddress { domain, bus, device } = call.driver.device(device)?.description.pci;
    let shown = format!("{domain:04X}:{bus:02X}:{device:02X}.0");
    let room = usize::try_from(length).unwrap_or(0);
    // SAFETY: passed on.
    unsafe { write_text(text, room, shown.as_bytes()) }
}

/// Writes a string with its final zero; an invalid value when there is no room for all of it.
///
/// # Safety
///
/// `place` must be null or valid for writes of `room` bytes.
unsafe fn write_text(place: *mut c_char, room: usize, text: &[u8]) -> Outcome {
    if place.is_null() || text.len() >= room {
        return Err(CUresult::INVALID_VALUE);
    }
    let place = place.cast::<u8>();
    // SAFETY: the text and a zero fit the room.
    unsafe { place.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    // SAFETY: as above.
    unsafe { place.wrapping_add(text.len()).write(0) };
    Ok(())
}

/// Takes `domain:bus:device`, with or without a function, and `bus:device.function`.
pub(crate) fn cuDeviceGetByPCIBusId(call: Ready, device: Out<CUdevice>, text: Text) -> Outcome {
    let text = if text.0.matches(':').count() == 1 { format!("0:{}", text.0) } else { text.0 };
    let address: PciAddress = text.parse().map_err(|_| CUresult::INVALID_VALUE)?;
    let found = call.driver.devices.iter().find(|device| device.description.pci == address);
    device.set(found.ok_or(CUresult::INVALID_DEVICE)?.ordinal);
    Ok(())
}

pub(crate) fn cuDeviceGetUuid(call: Ready, uuid: Out<CUuuid>, device: CUdevice) -> Outcome {
    uuid.set(CUuuid { bytes: call.driver.device(device)?.description.uuid.0 });
    Ok(())
}

pub(crate) fn cuDeviceGetAttribute(
    call: Ready,
    value: Out<c_int>,
    attribute: CUdevice_attribute,
    device: CUdevice,
) -> Outcome {
    let device = call.driver.device(device)?;
    value.set(device.attribute(attribute).ok_or(CUresult::INVALID_VALUE)?);
    Ok(())
}

pub(crate) fn cuDeviceComputeCapability(
    call: Ready,
    major: Out<c_int>,
    minor: Out<c_int>,
    device: CUdevice,
) -> Outcome {
    let device = call.driver.device(device)?;
    let get = |attribute| device.attribute(attribute).ok_or(CUresult::INVALID_VALUE);
    major.set(get(Attribute::COMPUTE_CAPABILITY_MAJOR)?);
    minor.set(get(Attribute::COMPUTE_CAPABILITY_MINOR)?);
    Ok(())
}

pub(crate) fn cuDeviceGetProperties(call: Ready, properties: Out<CUdevprop>, device: CUdevice) -> Outcome {
    let device = call.driver.device(device)?;
    let get = |attribute| device.attribute(attribute).ok_or(CUresult::INVALID_VALUE);
    properties.set(CUdevprop {
        maxThreadsPerBlock: get(Attribute::MAX_THREADS_PER_BLOCK)?,
        maxThreadsDim: [
            get(Attribute::MAX_BLOCK_DIM_X)?,
            get(Attribute::MAX_BLOCK_DIM_Y)?,
            get(Attribute::MAX_BLOCK_DIM_Z)?,
        ],
        maxGridSize: [
            get(Attribute::MAX_GRID_DIM_X)?,
            get(Attribute::MAX_GRID_DIM_Y)?,
            get(Attribute::MAX_GRID_DIM_Z)?,
        ],
        sharedMemPerBlock: get(Attribute::MAX_SHARED_MEMORY_PER_BLOCK)?,
        totalConstantMemory: get(Attribute::TOTAL_CONSTANT_MEMORY)?,
        SIMDWidth: get(Attribute::WARP_SIZE)?,
        memPitch: get(Attribute::MAX_PITCH)?,
        regsPerBlock: get(Attribute::MAX_REGISTERS_PER_BLOCK)?,
        clockRate: get(Attribute::CLOCK_RATE)?,
        textureAlign: get(Attribute::TEXTURE_ALIGNMENT)?,
    });
    Ok(())
}

pub(crate) fn cuDeviceTotalMem_v2(call: Ready, bytes: SizeOut, device: CUdevice) -> Outcome {
    let card = &call.driver.device(device)?.description.card;
    let total = card.total.saturating_sub(card.reserved);
    bytes.set(to_usize(total.0));
    Ok(())
}

/// Devices of the simulated machine do not reach each other's memory.
pub(crate) fn cuDeviceCanAccessPeer(
    call: Ready,
    possible: Out<c_int>,
    device: CUdevice,
    peer: CUdevice,
) -> Outcome {
    call.driver.device(device)?;
    call.driver.device(peer)?;
    possible.set(0);
    Ok(())
}

pub(crate) fn cuDeviceGetP2PAttribute(
    call: Ready,
    value: Out<c_int>,
    _attribute: CUdevice_P2PAttribute,
    source: CUdevice,
    destination: CUdevice,
) -> Outcome {
    if source == destination {
        return Err(CUresult::INVALID_DEVICE);
    }
    cuDeviceCanAccessPeer(call, value, source, destination)
}

same! {
    cuDeviceGetUuid: cuDeviceGetUuid_v2;
    cuDeviceTotalMem_v2: cuDeviceTotalMem;
}
