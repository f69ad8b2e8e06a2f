//! Identity of a device, and figures sampled from it.

use super::{nvml_struct_version, nvmlValueType_t};
use crate::nvmlReturn_t;
use crate::types::layouts;
use core::ffi::{c_char, c_double, c_int, c_longlong, c_uint, c_ulong, c_ulonglong, c_ushort};

/// Where a device is on the PCI bus.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct nvmlPciInfo_t {
    /// `domain:bus:device.function` with four digits of domain.
    pub busIdLegacy: [c_char; 16],
    /// The domain.
    pub domain: c_uint,
    /// The bus.
    pub bus: c_uint,
    /// The device on the bus.
    pub device: c_uint,
    /// Device id and vendor id.
    pub pciDeviceId: c_uint,
    /// Subsystem id.
    pub pciSubSystemId: c_uint,
    /// `domain:bus:device.function` with eight digits of domain.
    pub busId: [c_char; 32],
}

/// In: [`Self::VERSION`]. Out: where a device is on the PCI bus, and of which class.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct nvmlPciInfoExt_v1_t {
    /// [`Self::VERSION`].
    pub version: c_uint,
    /// The domain.
    pub domain: c_uint,
    /// The bus.
    pub bus: c_uint,
    /// The device on the bus.
    pub device: c_uint,
    /// Device id and vendor id.
    pub pciDeviceId: c_uint,
    /// Subsystem id.
    pub pciSubSystemId: c_uint,
    /// Class.
    pub baseClass: c_uint,
    /// Class within the class.
    pub subClass: c_uint,
    /// `domain:bus:device.function` with eight digits of domain.
    pub busId: [c_char; 32],
}

impl nvmlPciInfoExt_v1_t {
    /// What the caller writes into `version`.
    pub const VERSION: c_uint = nvml_struct_version(64, 1);
}

/// The newest form.
pub type nvmlPciInfoExt_t = nvmlPciInfoExt_v1_t;

/// Percent of the last sampling period in which a kernel ran, and in which memory was read or written.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlUtilization_t {
    /// Kernels.
    pub gpu: c_uint,
    /// Memory.
    pub memory: c_uint,
}

/// A number; which kind is told elsewhere.
#[repr(C)]
#[derive(Clone, Copy)]
pub union nvmlValue_t {
    /// `NVML_VALUE_TYPE_DOUBLE`.
    pub dVal: c_double,
    /// `NVML_VALUE_TYPE_SIGNED_INT`.
    pub siVal: c_int,
    /// `NVML_VALUE_TYPE_UNSIGNED_INT`.
    pub uiVal: c_uint,
    /// `NVML_VALUE_TYPE_UNSIGNED_LONG`.
    pub ulVal: c_ulong,
    /// `NVML_VALUE_TYPE_UNSIGNED_LONG_LONG`.
    pub ullVal: c_ulonglong,
    /// `NVML_VALUE_TYPE_SIGNED_LONG_LONG`.
    pub sllVal: c_longlong,
    /// `NVML_VALUE_TYPE_UNSIGNED_SHORT`.
    pub usVal: c_ushort,
}

/// A sample.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct nvmlSample_t {
    /// When, in microseconds of CPU time.
    pub timeStamp: c_ulonglong,
    /// What.
    pub sampleValue: nvmlValue_t,
}

/// In: which field. Out: its value, or why not.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct nvmlFieldValue_t {
    /// Which field.
    pub fieldId: c_uint,
    /// Which part of it.
    pub scopeId: c_uint,
    /// When, in microseconds since 1970.
    pub timestamp: c_longlong,
    /// How long it took, in microseconds.
    pub latencyUsec: c_longlong,
    /// Kind of `value`.
    pub valueType: nvmlValueType_t,
    /// Whether `value` is valid.
    pub nvmlReturn: nvmlReturn_t,
    /// The value.
    pub value: nvmlValue_t,
}

layouts! {
    nvmlPciInfo_t 68 { busIdLegacy, domain, bus, device, pciDeviceId, pciSubSystemId, busId }
    nvmlPciInfoExt_v1_t 64 { version, domain, bus, device, pciDeviceId, pciSubSystemId, baseClass, subClass, busId }
    nvmlUtilization_t 8 { gpu, memory }
    nvmlValue_t 8 { dVal, siVal, uiVal, ulVal, ullVal, sllVal, usVal }
    nvmlSample_t 16 { timeStamp, sampleValue }
    nvmlFieldValue_t 40 { fieldId, scopeId, timestamp, latencyUsec, valueType, nvmlReturn, value }
}
