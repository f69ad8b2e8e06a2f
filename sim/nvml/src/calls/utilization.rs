//! Use of a device over the last complete sample window.

use std::ffi::c_uint;

use cuda_sys::{nvmlReturn_t, nvmlUtilization_t};
use sim_kernel::Client;

use crate::abi::{Out, Outcome};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetUtilizationRates(device: Device, place: Out<nvmlUtilization_t>) -> Outcome {
    let utilization = device.ask(Client::utilization)?;
    place.set(nvmlUtilization_t { gpu: utilization.gpu, memory: utilization.memory });
    Ok(())
}

pub(crate) fn nvmlDeviceGetEncoderUtilization(
    device: Device,
    percent: Out<c_uint>,
    period: Out<c_uint>,
) -> Outcome {
    idle_engine(&device, &percent, &period)
}

pub(crate) fn nvmlDeviceGetDecoderUtilization(
    device: Device,
    percent: Out<c_uint>,
    period: Out<c_uint>,
) -> Outcome {
    idle_engine(&device, &percent, &period)
}

pub(crate) fn nvmlDeviceGetJpgUtilization(
    device: Device,
    percent: Out<c_uint>,
    period: Out<c_uint>,
) -> Outcome {
    idle_engine(&device, &percent, &period)
}

pub(crate) fn nvmlDeviceGetOfaUtilization(
    device: Device,
    percent: Out<c_uint>,
    period: Out<c_uint>,
) -> Outcome {
    idle_engine(&device, &percent, &period)
}

/// There is no work for the video engines on the simulated machine.
fn idle_engine(device: &Device, percent: &Out<c_uint>, period: &Out<c_uint>) -> Outcome {
    let micros = device.description()?.card.sample_window.0 / 1_000;
    percent.set(0);
    period.set(c_uint::try_from(micros).map_err(|_| nvmlReturn_t::UNKNOWN)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetEncoderStats(
    _device: Device,
    sessions: Out<c_uint>,
    frames_per_second: Out<c_uint>,
    latency: Out<c_uint>,
) -> Outcome {
    for figure in [sessions, frames_per_second, latency] {
        figure.set(0);
    }
    Ok(())
}
