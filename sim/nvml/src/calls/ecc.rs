//! Error correction: on, and without an error since the board was made.

use std::ffi::{c_uint, c_ulonglong};

use cuda_sys::{nvmlEccCounterType_t, nvmlEnableState_t, nvmlMemoryErrorType_t, nvmlMemoryLocation_t};

use crate::abi::{Out, Outcome};
use crate::device::Device;

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
    _device: Device,
    _kind: nvmlMemoryErrorType_t,
    _since: nvmlEccCounterType_t,
    errors: Out<c_ulonglong>,
) -> Outcome {
    errors.set(0);
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
    _device: Device,
    corrected: Out<c_uint>,
    uncorrected: Out<c_uint>,
    pending: Out<c_uint>,
    failed: Out<c_uint>,
) -> Outcome {
    for count in [corrected, uncorrected, pending, failed] {
        count.set(0);
    }
    Ok(())
}
