//! Modes of a device: persistent, without a display, shared by any number of processes, not split unless an observer has it so, not virtual.

use std::ffi::c_uint;

use cuda_sys::{nvmlComputeMode_t, nvmlEnableState_t, nvmlGpuVirtualizationMode_t};

use crate::abi::{Out, Outcome};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetPersistenceMode(_device: Device, mode: Out<nvmlEnableState_t>) -> Outcome {
    mode.set(nvmlEnableState_t::ENABLED);
    Ok(())
}

pub(crate) fn nvmlDeviceGetDisplayMode(_device: Device, mode: Out<nvmlEnableState_t>) -> Outcome {
    mode.set(nvmlEnableState_t::DISABLED);
    Ok(())
}

pub(crate) fn nvmlDeviceGetDisplayActive(_device: Device, active: Out<nvmlEnableState_t>) -> Outcome {
    active.set(nvmlEnableState_t::DISABLED);
    Ok(())
}

pub(crate) fn nvmlDeviceGetComputeMode(_device: Device, mode: Out<nvmlComputeMode_t>) -> Outcome {
    mode.set(nvmlComputeMode_t::DEFAULT);
    Ok(())
}

pub(crate) fn nvmlDeviceGetVirtualizationMode(
    _device: Device,
    mode: Out<nvmlGpuVirtualizationMode_t>,
) -> Outcome {
    mode.set(nvmlGpuVirtualizationMode_t::NONE);
    Ok(())
}

/// 0: `NVML_DEVICE_MIG_DISABLE`, 1: `NVML_DEVICE_MIG_ENABLE`. Its instances are not simulated.
pub(crate) fn nvmlDeviceGetMigMode(device: Device, current: Out<c_uint>, pending: Out<c_uint>) -> Outcome {
    for mode in [current, pending] {
        mode.set(device.condition().mig.into());
    }
    Ok(())
}

/// None, while MIG is off.
pub(crate) fn nvmlDeviceGetMaxMigDeviceCount(_device: Device, count: Out<c_uint>) -> Outcome {
    count.set(0);
    Ok(())
}

pub(crate) fn nvmlDeviceIsMigDeviceHandle(_device: Device, is_mig: Out<c_uint>) -> Outcome {
    is_mig.set(0);
    Ok(())
}
