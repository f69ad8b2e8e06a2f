//! How much of the devices is used, as NVML tells it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use contract::Bytes;
use nvml_gaps::Nvml as Gaps;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};

use super::memory;
use crate::inventory::{GpuUse, ProcessUse};

/// Every device that tells.
///
/// # Errors
/// What NVML says, when it does not tell how many devices there are.
pub(super) fn all(nvml: &Nvml, gaps: Option<&Gaps>) -> Result<Vec<GpuUse>, NvmlError> {
    let all = 0..nvml.device_count()?;
    Ok(all.filter_map(|index| one(&nvml.device_by_index(index).ok()?, index, gaps)).collect())
}

fn one(device: &Device<'_>, index: u32, gaps: Option<&Gaps>) -> Option<GpuUse> {
    let memory = memory::of(device, index, gaps).ok()?;
    Some(GpuUse {
        uuid: device.uuid().ok()?.parse().ok()?,
        used: memory.used,
        reserved: memory.reserved,
        busy: device.utilization_rates().ok().map(|rates| rates.gpu),
        processes: processes(device),
    })
}

/// Each process once: one that computes and draws is in both of NVML's lists, with the same amount.
fn processes(device: &Device<'_>) -> Vec<ProcessUse> {
    let busy = busy(device);
    let lists = [device.running_compute_processes(), device.running_graphics_processes()];
    let known = |process: ProcessInfo| match process.used_gpu_memory {
        UsedGpuMemory::Used(used) => {
            let busy = busy.as_ref().map(|busy| busy.get(&process.pid).copied().unwrap_or(0));
            Some(ProcessUse { pid: process.pid, used: Bytes(used), busy })
        }
        UsedGpuMemory::Unavailable => None,
    };
    let mut all: Vec<ProcessUse> = lists.into_iter().flatten().flatten().filter_map(known).collect();
    all.sort_by_key(|process| process.pid);
    all.dedup_by_key(|process| process.pid);
    all
}

/// What counts as the last moment.
const MOMENT: Duration = Duration::from_secs(2);

/// By process, in how many percent of the last moment the device worked for it; `None` where NVML does not tell. Who has done
/// nothing is missing.
fn busy(device: &Device<'_>) -> Option<BTreeMap<u32, u32>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let since = u64::try_from(now.checked_sub(MOMENT)?.as_micros()).ok()?;
    match device.process_utilization_stats(since) {
        Ok(samples) => Some(samples.into_iter().map(|sample| (sample.pid, sample.sm_util)).collect()),
        // Nobody has.
        Err(NvmlError::NotFound) => Some(BTreeMap::new()),
        Err(_) => None,
    }
}
