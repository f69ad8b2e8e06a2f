//! What a device is.

use std::ffi::{c_int, c_uint};

use cuda_sys::{nvmlBrandType_t, nvmlDeviceArchitecture_t, nvmlReturn_t};
use sim_kernel::DeviceDescription;

use crate::abi::{Out, Outcome, TextOut};
use crate::board;
use crate::device::Device;

/// `NVML_GSP_FIRMWARE_VERSION_BUF_SIZE`: the buffer that the function's caller has.
const GSP_VERSION_LENGTH: c_uint = 64;

/// The serial number printed on the board: 13 digits, different for each device.
pub(crate) fn serial(device: &DeviceDescription) -> String {
    format!("132{:010}", device.index.0)
}

pub(crate) fn nvmlDeviceGetName(device: Device, name: TextOut, length: c_uint) -> Outcome {
    name.set(length, &device.description()?.card.name)
}

pub(crate) fn nvmlDeviceGetUUID(device: Device, uuid: TextOut, length: c_uint) -> Outcome {
    uuid.set(length, &device.description()?.uuid.to_string())
}

pub(crate) fn nvmlDeviceGetSerial(device: Device, number: TextOut, length: c_uint) -> Outcome {
    number.set(length, &serial(device.description()?))
}

/// Data centre products have called themselves NVIDIA, not Tesla, since the A100.
pub(crate) fn nvmlDeviceGetBrand(_device: Device, brand: Out<nvmlBrandType_t>) -> Outcome {
    brand.set(nvmlBrandType_t::NVIDIA);
    Ok(())
}

pub(crate) fn nvmlDeviceGetIndex(device: Device, index: Out<c_uint>) -> Outcome {
    index.set(device.position()?);
    Ok(())
}

/// The number of `/dev/nvidia<n>`: the machine numbers its devices in PCI order.
pub(crate) fn nvmlDeviceGetMinorNumber(device: Device, number: Out<c_uint>) -> Outcome {
    number.set(device.index().0);
    Ok(())
}

pub(crate) fn nvmlDeviceGetBoardId(device: Device, id: Out<c_uint>) -> Outcome {
    let pci = device.description()?.pci;
    id.set(pci.domain << 16 | u32::from(pci.bus) << 8 | u32::from(pci.device));
    Ok(())
}

pub(crate) fn nvmlDeviceGetBoardPartNumber(_device: Device, number: TextOut, length: c_uint) -> Outcome {
    number.set(length, board::PART_NUMBER)
}

pub(crate) fn nvmlDeviceGetMultiGpuBoard(_device: Device, several: Out<c_uint>) -> Outcome {
    several.set(0);
    Ok(())
}

pub(crate) fn nvmlDeviceGetArchitecture(device: Device, place: Out<nvmlDeviceArchitecture_t>) -> Outcome {
    place.set(board::architecture(device.description()?.card.compute_capability));
    Ok(())
}

pub(crate) fn nvmlDeviceGetVbiosVersion(_device: Device, version: TextOut, length: c_uint) -> Outcome {
    version.set(length, board::VBIOS)
}

pub(crate) fn nvmlDeviceGetCudaComputeCapability(
    device: Device,
    major: Out<c_int>,
    minor: Out<c_int>,
) -> Outcome {
    let capability = device.description()?.card.compute_capability;
    let number = |part| c_int::try_from(part).map_err(|_| nvmlReturn_t::UNKNOWN);
    major.set(number(capability.0)?);
    minor.set(number(capability.1)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetNumGpuCores(device: Device, cores: Out<c_uint>) -> Outcome {
    let card = &device.description()?.card;
    cores.set(card.multiprocessors * board::cores_per_multiprocessor(card.compute_capability));
    Ok(())
}

pub(crate) fn nvmlDeviceGetGspFirmwareMode(
    _device: Device,
    enabled: Out<c_uint>,
    default: Out<c_uint>,
) -> Outcome {
    enabled.set(1);
    default.set(1);
    Ok(())
}

/// The firmware comes with the driver.
pub(crate) fn nvmlDeviceGetGspFirmwareVersion(device: Device, version: TextOut) -> Outcome {
    version.set(GSP_VERSION_LENGTH, device.session().driver_version())
}

/// Its place on the baseboard.
pub(crate) fn nvmlDeviceGetModuleId(device: Device, module: Out<c_uint>) -> Outcome {
    module.set(device.index().0);
    Ok(())
}

/// The board's persistent store is as it should be.
pub(crate) fn nvmlDeviceValidateInforom(_device: Device) -> Outcome {
    Ok(())
}
