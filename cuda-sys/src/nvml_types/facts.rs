//! What the NVML table takes from the vendor's header besides its rows, for `cargo xtask table` to compare.

use super::{device, events, integers::*, memory, processes};
use crate::{Layout, nvmlReturn_t};

/// Structures of NVML that have fields here.
pub const NVML_LAYOUTS: &[&[Layout]] =
    &[device::LAYOUTS, events::LAYOUTS, memory::LAYOUTS, processes::LAYOUTS];

/// Values of NVML that have names here.
pub const NVML_CONSTANTS: &[&[(&str, u32)]] = &[
    nvmlReturn_t::NAMED,
    nvmlEnableState_t::NAMED,
    nvmlComputeMode_t::NAMED,
    nvmlClockType_t::NAMED,
    nvmlTemperatureSensors_t::NAMED,
    nvmlValueType_t::NAMED,
    nvmlBrandType_t::NAMED,
    nvmlGpuVirtualizationMode_t::NAMED,
];
