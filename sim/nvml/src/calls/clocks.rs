//! Clocks, in MHz: idle ones without load, the highest under any.

use std::ffi::{c_uint, c_ulonglong};

use cuda_sys::{nvmlClockId_t, nvmlClockType_t, nvmlReturn_t};
use sim_kernel::Client;

use crate::abi::{Out, Outcome};
use crate::board::clock;
use crate::device::Device;

/// `nvmlClocksEventReasonGpuIdle`: the clocks are low because nothing runs.
const REASON_IDLE: c_ulonglong = 1;

fn highest(kind: nvmlClockType_t) -> Outcome<c_uint> {
    match kind {
        nvmlClockType_t::GRAPHICS | nvmlClockType_t::SM => Ok(clock::SM_MOST),
        nvmlClockType_t::MEM => Ok(clock::MEMORY),
        nvmlClockType_t::VIDEO => Ok(clock::VIDEO_MOST),
        _ => Err(nvmlReturn_t::INVALID_ARGUMENT),
    }
}

fn idle(kind: nvmlClockType_t) -> Outcome<c_uint> {
    match kind {
        nvmlClockType_t::GRAPHICS | nvmlClockType_t::SM => Ok(clock::SM_IDLE),
        nvmlClockType_t::VIDEO => Ok(clock::VIDEO_IDLE),
        _ => highest(kind),
    }
}

fn is_idle(device: &Device) -> Outcome<bool> {
    Ok(device.ask(Client::utilization)?.gpu == 0)
}

pub(crate) fn nvmlDeviceGetClockInfo(device: Device, kind: nvmlClockType_t, mhz: Out<c_uint>) -> Outcome {
    mhz.set(if is_idle(&device)? { idle(kind)? } else { highest(kind)? });
    Ok(())
}

pub(crate) fn nvmlDeviceGetMaxClockInfo(_device: Device, kind: nvmlClockType_t, mhz: Out<c_uint>) -> Outcome {
    mhz.set(highest(kind)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetClock(
    device: Device,
    kind: nvmlClockType_t,
    value: nvmlClockId_t,
    mhz: Out<c_uint>,
) -> Outcome {
    match value {
        0 => nvmlDeviceGetClockInfo(device, kind, mhz),
        1 => nvmlDeviceGetApplicationsClock(device, kind, mhz),
        2 => nvmlDeviceGetDefaultApplicationsClock(device, kind, mhz),
        3 => nvmlDeviceGetMaxClockInfo(device, kind, mhz),
        _ => Err(nvmlReturn_t::INVALID_ARGUMENT),
    }
}

/// Nobody set other clocks than the default ones.
pub(crate) fn nvmlDeviceGetApplicationsClock(
    device: Device,
    kind: nvmlClockType_t,
    mhz: Out<c_uint>,
) -> Outcome {
    nvmlDeviceGetDefaultApplicationsClock(device, kind, mhz)
}

pub(crate) fn nvmlDeviceGetDefaultApplicationsClock(
    _device: Device,
    kind: nvmlClockType_t,
    mhz: Out<c_uint>,
) -> Outcome {
    if kind == nvmlClockType_t::VIDEO {
        return Err(nvmlReturn_t::NOT_SUPPORTED);
    }
    mhz.set(highest(kind)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetCurrentClocksEventReasons(device: Device, reasons: Out<c_ulonglong>) -> Outcome {
    reasons.set(if is_idle(&device)? { REASON_IDLE } else { 0 });
    Ok(())
}

/// The older name of the same.
pub(crate) fn nvmlDeviceGetCurrentClocksThrottleReasons(
    device: Device,
    reasons: Out<c_ulonglong>,
) -> Outcome {
    nvmlDeviceGetCurrentClocksEventReasons(device, reasons)
}

pub(crate) fn nvmlDeviceGetSupportedClocksEventReasons(
    _device: Device,
    reasons: Out<c_ulonglong>,
) -> Outcome {
    reasons.set(REASON_IDLE);
    Ok(())
}

/// The older name of the same.
pub(crate) fn nvmlDeviceGetSupportedClocksThrottleReasons(
    device: Device,
    reasons: Out<c_ulonglong>,
) -> Outcome {
    nvmlDeviceGetSupportedClocksEventReasons(device, reasons)
}
