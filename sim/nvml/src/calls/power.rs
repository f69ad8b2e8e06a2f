//! Power, in milliwatts, and performance.

use std::ffi::c_uint;

use cuda_sys::{nvmlEnableState_t, nvmlPstates_t};
use sim_kernel::Client;

use crate::abi::{Out, Outcome};
use crate::board::{self, POWER_LIMIT, POWER_LIMIT_LEAST};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetPowerUsage(device: Device, power: Out<c_uint>) -> Outcome {
    power.set(board::power(device.ask(Client::utilization)?.gpu));
    Ok(())
}

pub(crate) fn nvmlDeviceGetPowerManagementMode(_device: Device, mode: Out<nvmlEnableState_t>) -> Outcome {
    mode.set(nvmlEnableState_t::ENABLED);
    Ok(())
}

pub(crate) fn nvmlDeviceGetPowerManagementLimit(_device: Device, limit: Out<c_uint>) -> Outcome {
    limit.set(POWER_LIMIT);
    Ok(())
}

pub(crate) fn nvmlDeviceGetPowerManagementDefaultLimit(_device: Device, limit: Out<c_uint>) -> Outcome {
    limit.set(POWER_LIMIT);
    Ok(())
}

pub(crate) fn nvmlDeviceGetEnforcedPowerLimit(_device: Device, limit: Out<c_uint>) -> Outcome {
    limit.set(POWER_LIMIT);
    Ok(())
}

pub(crate) fn nvmlDeviceGetPowerManagementLimitConstraints(
    _device: Device,
    least: Out<c_uint>,
    most: Out<c_uint>,
) -> Outcome {
    least.set(POWER_LIMIT_LEAST);
    most.set(POWER_LIMIT);
    Ok(())
}

/// Data centre boards stay in the fastest state, P0.
pub(crate) fn nvmlDeviceGetPerformanceState(_device: Device, state: Out<nvmlPstates_t>) -> Outcome {
    state.set(0);
    Ok(())
}

/// The older name of the same.
pub(crate) fn nvmlDeviceGetPowerState(device: Device, state: Out<nvmlPstates_t>) -> Outcome {
    nvmlDeviceGetPerformanceState(device, state)
}
