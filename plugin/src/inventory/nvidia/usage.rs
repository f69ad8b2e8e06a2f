//! How much of the devices is used, as NVML tells it.

use contract::Bytes;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};

use crate::inventory::{GpuUse, ProcessUse};

/// Every device that tells.
///
/// # Errors
/// What NVML says, when it does not tell how many devices there are.
pub(super) fn all(nvml: &Nvml) -> Result<Vec<GpuUse>, NvmlError> {
    let devices = (0..nvml.device_count()?).filter_map(|index| nvml.device_by_index(index).ok());
    Ok(devices.filter_map(|device| one(&device)).collect())
}

fn one(device: &Device<'_>) -> Option<GpuUse> {
    let memory = device.memory_info().ok()?;
    Some(GpuUse {
        uuid: device.uuid().ok()?.parse().ok()?,
        used: Bytes(memory.used),
        reserved: Bytes(memory.reserved),
        busy: device.utilization_rates().ok().map(|rates| rates.gpu),
        processes: processes(device),
    })
}

/// Each process once: one that computes and draws is in both of NVML's lists, with the same amount.
fn processes(device: &Device<'_>) -> Vec<ProcessUse> {
    let lists = [device.running_compute_processes(), device.running_graphics_processes()];
    let known = |process: ProcessInfo| match process.used_gpu_memory {
        UsedGpuMemory::Used(used) => Some(ProcessUse { pid: process.pid, used: Bytes(used) }),
        UsedGpuMemory::Unavailable => None,
    };
    let mut all: Vec<ProcessUse> = lists.into_iter().flatten().flatten().filter_map(known).collect();
    all.sort_by_key(|process| process.pid);
    all.dedup_by_key(|process| process.pid);
    all
}
