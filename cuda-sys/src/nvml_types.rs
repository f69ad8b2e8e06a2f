//! NVML types, with the header's names.

use core::ffi::{c_uint, c_ulonglong, c_void};

/// A device handle.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct nvmlDevice_t(pub *mut c_void);

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
    /// Size of this structure, and 2 << 24.
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

/// A process on a device (`_v2` and `_v3` of the process lists).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessInfo_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Device memory in bytes.
    pub usedGpuMemory: c_ulonglong,
    /// MIG GPU instance, or 0xFFFFFFFF.
    pub gpuInstanceId: c_uint,
    /// MIG compute instance, or 0xFFFFFFFF.
    pub computeInstanceId: c_uint,
}
