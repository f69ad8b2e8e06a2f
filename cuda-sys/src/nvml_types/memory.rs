//! Memory figures, in bytes.

use super::nvml_struct_version;
use crate::types::layouts;
use core::ffi::{c_uint, c_ulonglong};

/// Memory of a device, in bytes; `used` includes what the driver reserves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlMemory_t {
    /// Installed memory.
    pub total: c_ulonglong,
    /// Unallocated memory.
    pub free: c_ulonglong,
    /// Allocated and reserved memory.
    pub used: c_ulonglong,
}

/// Memory of a device, in bytes, with the driver's reserve told apart.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlMemory_v2_t {
    /// [`Self::VERSION`].
    pub version: c_uint,
    /// Installed memory.
    pub total: c_ulonglong,
    /// Memory the driver keeps for itself.
    pub reserved: c_ulonglong,
    /// Unallocated memory.
    pub free: c_ulonglong,
    /// Allocated memory.
    pub used: c_ulonglong,
}

impl nvmlMemory_v2_t {
    /// What the caller writes into `version`.
    pub const VERSION: c_uint = nvml_struct_version(40, 2);
}

/// The window through which the CPU reaches device memory, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlBAR1Memory_t {
    /// Size of the window.
    pub bar1Total: c_ulonglong,
    /// Unmapped part.
    pub bar1Free: c_ulonglong,
    /// Mapped part.
    pub bar1Used: c_ulonglong,
}

layouts! {
    nvmlMemory_t 24 { total, free, used }
    nvmlMemory_v2_t 40 { version, total, reserved, free, used }
    nvmlBAR1Memory_t 24 { bar1Total, bar1Free, bar1Used }
}
