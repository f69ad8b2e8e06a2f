//! Processes on a device. The simulated machine has compute processes only: no graphics, no MPS.

use std::ffi::c_uint;

use cuda_sys::{
    nvmlProcessDetail_v1_t, nvmlProcessDetailList_t, nvmlProcessInfo_v1_t, nvmlProcessInfo_v2_t, nvmlReturn_t,
};
use sim_kernel::{Client, ProcessMemory};

use crate::abi::{InOut, Outcome};
use crate::device::Device;
use crate::list::List;

/// In place of a MIG instance, when there is none.
pub(crate) const NO_INSTANCE: c_uint = c_uint::MAX;

fn first_form(process: &ProcessMemory) -> nvmlProcessInfo_v1_t {
    nvmlProcessInfo_v1_t { pid: process.pid, usedGpuMemory: process.used.0 }
}

fn second_form(process: &ProcessMemory) -> nvmlProcessInfo_v2_t {
    nvmlProcessInfo_v2_t {
        pid: process.pid,
        usedGpuMemory: process.used.0,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

fn detail(process: &ProcessMemory) -> nvmlProcessDetail_v1_t {
    nvmlProcessDetail_v1_t {
        pid: process.pid,
        usedGpuMemory: process.used.0,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
        usedGpuCcProtectedMemory: 0,
    }
}

/// The third version of a list has the form of the second.
macro_rules! process_lists {
    ($($name:ident $processes:ident $form:ident $entry:ty;)*) => { $(
        pub(crate) fn $name(device: Device, count: InOut<c_uint>, infos: List<$entry>) -> Outcome {
            infos.answer(&count, $processes(&device)?.iter().map($form))
        }
    )* };
}

process_lists! {
    nvmlDeviceGetComputeRunningProcesses        compute_processes first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetComputeRunningProcesses_v2     compute_processes second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetComputeRunningProcesses_v3     compute_processes second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetGraphicsRunningProcesses       no_processes      first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetGraphicsRunningProcesses_v2    no_processes      second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetGraphicsRunningProcesses_v3    no_processes      second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetMPSComputeRunningProcesses     no_processes      first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetMPSComputeRunningProcesses_v2  no_processes      second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetMPSComputeRunningProcesses_v3  no_processes      second_form nvmlProcessInfo_v2_t;
}

/// Compute processes, by pid.
pub(crate) fn compute_processes(device: &Device) -> Outcome<Vec<ProcessMemory>> {
    device.ask(Client::processes)
}

/// Processes of a kind that the machine does not have.
pub(crate) fn no_processes(_device: &Device) -> Outcome<Vec<ProcessMemory>> {
    Ok(Vec::new())
}

pub(crate) fn nvmlDeviceGetRunningProcessDetailList(
    device: Device,
    list: InOut<nvmlProcessDetailList_t>,
) -> Outcome {
    let request = list.get();
    if request.version != nvmlProcessDetailList_t::VERSION {
        return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
    }
    let processes = match request.mode {
        0 => compute_processes(&device)?,
        1 | 2 => no_processes(&device)?,
        _ => return Err(nvmlReturn_t::INVALID_ARGUMENT),
    };
    // SAFETY: the caller of the entry point promises the array as it promises the structure.
    let entries = unsafe { List::at(request.procArray) };
    entries.fill(request.numProcArrayEntries, processes.iter().map(detail), |number| {
        list.set(nvmlProcessDetailList_t { numProcArrayEntries: number, ..request });
    })
}
