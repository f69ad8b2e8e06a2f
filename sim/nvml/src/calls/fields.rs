//! Values by field number. A field that is not known here says so itself, beside the others.

use std::ffi::{c_int, c_longlong, c_uint};

use cuda_sys::{nvmlFieldValue_t, nvmlReturn_t, nvmlValue_t, nvmlValueType_t};
use sim_kernel::Client;

use crate::abi::Outcome;
use crate::board;
use crate::clock::Calendar;
use crate::device::Device;
use crate::list::List;

/// `NVML_FI_DEV_MEMORY_TEMP`, in °C.
const MEMORY_TEMPERATURE: c_uint = 82;
/// `NVML_FI_DEV_POWER_AVERAGE`, in milliwatts.
const POWER_AVERAGE: c_uint = 185;
/// `NVML_FI_DEV_POWER_INSTANT`, in milliwatts.
const POWER_INSTANT: c_uint = 186;

pub(crate) fn nvmlDeviceGetFieldValues(
    device: Device,
    count: c_int,
    values: List<nvmlFieldValue_t>,
) -> Outcome {
    let count = usize::try_from(count).ok().filter(|count| *count > 0);
    let count = count.ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
    let load = device.ask(Client::utilization)?.gpu;
    let now = c_longlong::try_from(Calendar::today()).unwrap_or(c_longlong::MAX);
    values.update(count, |field| {
        let value = match field.fieldId {
            MEMORY_TEMPERATURE => Some(board::memory_temperature(load)),
            POWER_AVERAGE | POWER_INSTANT => Some(board::power(load)),
            _ => None,
        };
        nvmlFieldValue_t {
            timestamp: now,
            latencyUsec: 0,
            valueType: nvmlValueType_t::UNSIGNED_INT,
            nvmlReturn: if value.is_some() { nvmlReturn_t::SUCCESS } else { nvmlReturn_t::NOT_SUPPORTED },
            value: value.map_or(field.value, number),
            ..field
        }
    })
}

/// A number as the union has it, with the bytes that it does not use at zero.
fn number(value: c_uint) -> nvmlValue_t {
    nvmlValue_t { ullVal: value.into() }
}
