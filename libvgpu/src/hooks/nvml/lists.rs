//! Lists of processes: the slice's own, as the region has them.
//!
//! The region knows of CUDA, so all are compute processes, and what they use is what they are charged.

use super::{in_slice, own, room};
use crate::abi::nvml::real;
use crate::state::Process;
use core::ptr::null_mut;
use cuda_sys::*;

/// In place of a MIG instance, when there is none.
pub(super) const NO_INSTANCE: c_uint = c_uint::MAX;

/// Whether a list is the one that the slice's processes are in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Compute,
    Other,
}

fn first_form(process: Process) -> nvmlProcessInfo_v1_t {
    nvmlProcessInfo_v1_t { pid: process.pid, usedGpuMemory: process.used.0 }
}

fn second_form(process: Process) -> nvmlProcessInfo_v2_t {
    nvmlProcessInfo_v2_t {
        pid: process.pid,
        usedGpuMemory: process.used.0,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

fn detail(process: Process) -> nvmlProcessDetail_v1_t {
    nvmlProcessDetail_v1_t {
        pid: process.pid,
        usedGpuMemory: process.used.0,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
        usedGpuCcProtectedMemory: 0,
    }
}

/// The third version of a list has the form of the second.
macro_rules! lists {
    ($($name:ident $kind:ident $form:ident $entry:ty;)*) => { $(
        pub(crate) unsafe fn $name(
            device: nvmlDevice_t,
            infoCount: *mut c_uint,
            infos: *mut $entry,
        ) -> nvmlReturn_t {
            // SAFETY: the application's own arguments, or a count of ours without a place.
            let native = |count, infos| unsafe { real::$name(device, count, infos) };
            // SAFETY: the application's own arguments.
            unsafe { list(device, Kind::$kind, (infoCount, infos), native, $form) }
        }
    )* };
}

lists! {
    nvmlDeviceGetComputeRunningProcesses        Compute first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetComputeRunningProcesses_v2     Compute second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetComputeRunningProcesses_v3     Compute second_form nvmlProcessInfo_t;
    nvmlDeviceGetGraphicsRunningProcesses       Other   first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetGraphicsRunningProcesses_v2    Other   second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetGraphicsRunningProcesses_v3    Other   second_form nvmlProcessInfo_t;
    nvmlDeviceGetMPSComputeRunningProcesses     Other   first_form  nvmlProcessInfo_v1_t;
    nvmlDeviceGetMPSComputeRunningProcesses_v2  Other   second_form nvmlProcessInfo_v2_t;
    nvmlDeviceGetMPSComputeRunningProcesses_v3  Other   second_form nvmlProcessInfo_t;
}

/// # Safety
/// `count` must be null or valid for reading and writing, and `place` null or valid for as many entries as it says.
unsafe fn list<T>(
    device: nvmlDevice_t,
    kind: Kind,
    (count, place): (*mut c_uint, *mut T),
    native: impl Fn(*mut c_uint, *mut T) -> nvmlReturn_t,
    form: fn(Process) -> T,
) -> nvmlReturn_t {
    let limited = |slice| {
        // What the driver says of its arguments stays the driver's.
        if count.is_null() {
            return native(count, place);
        }
        if let Some(refusal) = room::refusal(&native) {
            return refusal;
        }
        let processes = if kind == Kind::Compute { own::processes(slice, device) } else { Vec::new() };
        // SAFETY: promised by the caller; not null.
        unsafe { room::fill(count, place, processes.into_iter().map(form)) }
    };
    in_slice(|| native(count, place), limited)
}

pub(crate) unsafe fn nvmlDeviceGetRunningProcessDetailList(
    device: nvmlDevice_t,
    plist: *mut nvmlProcessDetailList_t,
) -> nvmlReturn_t {
    /// Modes of lists that the slice's processes are not in: graphics and MPS.
    const OTHERS: [c_uint; 2] = [1, 2];
    // SAFETY: the application's own arguments.
    let native = || unsafe { real::nvmlDeviceGetRunningProcessDetailList(device, plist) };
    let limited = |slice| {
        // SAFETY: null, or the application's structure.
        let Some(list) = (unsafe { plist.as_mut() }) else { return native() };
        let refusal = room::refusal(|_, _: *mut nvmlProcessDetail_v1_t| {
            let mut probe =
                nvmlProcessDetailList_t { numProcArrayEntries: 0, procArray: null_mut(), ..*list };
            // SAFETY: the probe is valid for the call and has no room.
            unsafe { real::nvmlDeviceGetRunningProcessDetailList(device, &raw mut probe) }
        });
        if let Some(refusal) = refusal {
            return refusal;
        }
        let processes = if OTHERS.contains(&list.mode) { Vec::new() } else { own::processes(slice, device) };
        let entries = processes.into_iter().map(detail);
        // SAFETY: NVML has accepted the structure's version, so its fields are what the application says they are.
        unsafe { room::fill(&raw mut list.numProcArrayEntries, list.procArray, entries) }
    };
    in_slice(native, limited)
}
