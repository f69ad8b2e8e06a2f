//! What devices report by themselves.

use super::nvmlDevice_t;
use crate::types::layouts;
use core::ffi::{c_uint, c_ulonglong};

/// An event, as `nvmlEventSetWait_v2` tells it. The older function's callers have no room for the two ids.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct nvmlEventData_t {
    /// Which device.
    pub device: nvmlDevice_t,
    /// Kind of event: one bit.
    pub eventType: c_ulonglong,
    /// The XID, where it is one.
    pub eventData: c_ulonglong,
    /// MIG GPU instance, or 0xFFFFFFFF.
    pub gpuInstanceId: c_uint,
    /// MIG compute instance, or 0xFFFFFFFF.
    pub computeInstanceId: c_uint,
}

layouts! {
    nvmlEventData_t 32 { device, eventType, eventData, gpuInstanceId, computeInstanceId }
}
