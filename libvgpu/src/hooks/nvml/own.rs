//! What of a device is the slice's: which processes, under which ids NVML knows them, and how much of its time.

use crate::state::{Device, Process, Slice, compute_processes, gpu_uuid};
use cuda_sys::nvmlDevice_t;
use policy::view;

/// `device` as the slice knows it; `None` without a GPU's UUID, such as a MIG instance, of which it knows nothing.
pub(super) fn known(slice: &'static Slice, device: nvmlDevice_t) -> Option<&'static Device> {
    slice.device_with(gpu_uuid(device).ok()?)
}

/// The slice's processes on `device`. None on one that it does not know.
pub(super) fn processes(slice: &'static Slice, device: nvmlDevice_t) -> Vec<Process> {
    known(slice, device).map_or_else(Vec::new, |device| slice.processes(device))
}

/// The ids of the slice's processes on `device`, for finding them in lists of NVML's.
///
/// `None` where NVML does not know them by these ids: in a container it usually speaks of the host's, where the same number
/// may be another tenant's process. It is taken to speak of ours when it lists every one of them.
pub(super) fn ids(slice: &'static Slice, device: nvmlDevice_t) -> Option<Vec<u32>> {
    let own: Vec<u32> = processes(slice, device).iter().map(|process| process.pid).collect();
    if own.is_empty() {
        return Some(own);
    }
    let listed = compute_processes(device).ok()?;
    own.iter().all(|pid| listed.iter().any(|process| process.pid == *pid)).then_some(own)
}

/// Use of `device`, in percent, as the slice is told it: of the share of the device's time that it has at the moment, so
/// that 100 is all that it may use.
pub(super) fn in_share(slice: &'static Slice, device: nvmlDevice_t) -> impl Fn(u32) -> u32 {
    let share = known(slice, device).map(|device| device.limit.share());
    move |percent| share.map_or(percent, |share| view::scaled(percent, share))
}
