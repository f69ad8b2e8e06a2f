//! Error correction: on, and without an error that no observer has caused.

use std::ffi::{c_uint, c_ulonglong};

use cuda_sys::{nvmlEccCounterType_t, nvmlEnableState_t, nvmlMemoryErrorType_t, nvmlMemoryLocation_t};

use crate::abi::{Out, Outcome};
use crate::device::Device;

/// `NVML_MEMORY_ERROR_TYPE_UNCORRECTED`.
const UNCORRECTED: nvmlMemoryErrorType_t = 1;

pub(crate) fn nvmlDeviceGetEccMode(
    _device: Device,
    current: Out<nvmlEnableState_t>,
    pending: Out<nvmlEnableState_t>,
) -> Outcome {
    current.set(nvmlEnableState_t::ENABLED);
    pending.set(nvmlEnableState_t::ENABLED);
    Ok(())
}

pub(crate) fn nvmlDeviceGetTotalEccErrors(
    device: Device,
    kind: nvmlMemoryErrorType_t,
    _since: nvmlEccCounterType_t,
    errors: Out<c_ulonglong>,
) -> Outcome {
    errors.set(if kind == UNCORRECTED { device.condition().uncorrectable_errors } else { 0 });
    Ok(())
}

pub(crate) fn nvmlDeviceGetMemoryErrorCounter(
    _device: Device,
    _kind: nvmlMemoryErrorType_t,
    _since: nvmlEccCounterType_t,
    _place: nvmlMemoryLocation_t,
    errors: Out<c_ulonglong>,
) -> Outcome {
    errors.set(0);
    Ok(())
}

pub(crate) fn nvmlDeviceGetRemappedRows(
    device: Device,
    corrected: Out<c_uint>,
    uncorrected: Out<c_uint>,
    pending: Out<c_uint>,
    failed: Out<c_uint>,
) -> Outcome {
    for count in [corrected, uncorrected, pending] {
        count.set(0);
    }
    failed.set(device.condition().remap_failed.into());
    Ok(())
}
