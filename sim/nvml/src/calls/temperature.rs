//! Temperatures, in °C.

use std::ffi::c_uint;

use cuda_sys::{nvmlReturn_t, nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t};
use sim_kernel::Client;

use crate::abi::{Out, Outcome};
use crate::board::{self, temperature};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetTemperature(
    device: Device,
    sensor: nvmlTemperatureSensors_t,
    degrees: Out<c_uint>,
) -> Outcome {
    if sensor != nvmlTemperatureSensors_t::GPU {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    degrees.set(board::gpu_temperature(device.ask(Client::utilization)?.gpu));
    Ok(())
}

pub(crate) fn nvmlDeviceGetTemperatureThreshold(
    _device: Device,
    threshold: nvmlTemperatureThresholds_t,
    degrees: Out<c_uint>,
) -> Outcome {
    degrees.set(match threshold {
        0 => temperature::SHUTDOWN,
        1 => temperature::SLOWDOWN,
        2 => temperature::MEMORY_MOST,
        3 => temperature::GPU_MOST,
        _ => return Err(nvmlReturn_t::NOT_SUPPORTED),
    });
    Ok(())
}
