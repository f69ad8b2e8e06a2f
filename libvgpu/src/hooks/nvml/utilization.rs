//! Use of a device: that of the slice's own processes, where NVML tells them apart, in percent of the slice's share of the
//! device's time.

use super::{in_slice, own, room};
use crate::abi::nvml::real;
use crate::clock;
use crate::state::Slice;
use cuda_sys::*;
use policy::view;

/// The sum over the slice's processes where NVML knows them by their ids; else what is metered of them, and the whole card's
/// where they are not metered either.
pub(crate) unsafe fn nvmlDeviceGetUtilizationRates(
    device: nvmlDevice_t,
    utilization: *mut nvmlUtilization_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let native = || unsafe { real::nvmlDeviceGetUtilizationRates(device, utilization) };
    in_slice(native, |slice| {
        let result = native();
        if result.is_success() {
            // SAFETY: NVML has just written to it.
            let told = unsafe { &mut *utilization };
            *told = own_utilization(slice, device, *told)
                .or_else(|| metered_utilization(slice, device, *told))
                .unwrap_or(*told);
        }
        result
    })
}

pub(crate) unsafe fn nvmlDeviceGetProcessUtilization(
    device: nvmlDevice_t,
    utilization: *mut nvmlProcessUtilizationSample_t,
    processSamplesCount: *mut c_uint,
    lastSeenTimeStamp: c_ulonglong,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments, or a count and a place of ours.
    let ask = |count, place| unsafe {
        real::nvmlDeviceGetProcessUtilization(device, place, count, lastSeenTimeStamp)
    };
    let native = || ask(processSamplesCount, utilization);
    let limited = |slice| {
        // A caller who asks how much room to make learns nothing of anybody.
        if processSamplesCount.is_null() || utilization.is_null() {
            return native();
        }
        let scale = own::in_share(slice, device);
        let scaled = |sample: nvmlProcessUtilizationSample_t| nvmlProcessUtilizationSample_t {
            smUtil: scale(sample.smUtil),
            memUtil: scale(sample.memUtil),
            ..sample
        };
        match own_samples(slice, device, room::whole(ask), |sample| sample.pid) {
            // SAFETY: neither is null, and the application says how much room there is.
            Ok(samples) => unsafe {
                room::fill(processSamplesCount, utilization, samples.into_iter().map(scaled))
            },
            Err(answer) => answer,
        }
    };
    in_slice(native, limited)
}

pub(crate) unsafe fn nvmlDeviceGetProcessesUtilizationInfo(
    device: nvmlDevice_t,
    procesesUtilInfo: *mut nvmlProcessesUtilizationInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let native = || unsafe { real::nvmlDeviceGetProcessesUtilizationInfo(device, procesesUtilInfo) };
    let limited = |slice| {
        // SAFETY: null, or the application's structure.
        let Some(info) = (unsafe { procesesUtilInfo.as_mut() }) else { return native() };
        // A wrong version is the driver's to reject; before that, nothing says that there are more fields.
        if info.version != nvmlProcessesUtilizationInfo_t::VERSION || info.procUtilArray.is_null() {
            return native();
        }
        let all = room::whole(|count, place| {
            // SAFETY: `count` is ours.
            let room = unsafe { *count };
            let mut probe =
                nvmlProcessesUtilizationInfo_t { processSamplesCount: room, procUtilArray: place, ..*info };
            // SAFETY: the probe is valid for the call, its place for as many entries as it says.
            let answer = unsafe { real::nvmlDeviceGetProcessesUtilizationInfo(device, &raw mut probe) };
            // SAFETY: as above.
            unsafe { *count = probe.processSamplesCount };
            answer
        });
        let scale = own::in_share(slice, device);
        let scaled = |sample: nvmlProcessUtilizationInfo_v1_t| nvmlProcessUtilizationInfo_v1_t {
            smUtil: scale(sample.smUtil),
            memUtil: scale(sample.memUtil),
            ..sample
        };
        match own_samples(slice, device, all, |sample| sample.pid) {
            // SAFETY: the place is not null, and the application says how much room there is.
            Ok(samples) => unsafe {
                let samples = samples.into_iter().map(scaled);
                room::fill(&raw mut info.processSamplesCount, info.procUtilArray, samples)
            },
            Err(answer) => answer,
        }
    };
    in_slice(native, limited)
}

/// Those of `all` that are of the slice's processes.
///
/// # Errors
/// NVML's answer; when nothing is left, what NVML says of a device that nobody used.
fn own_samples<T>(
    slice: &'static Slice,
    device: nvmlDevice_t,
    all: Result<Vec<T>, nvmlReturn_t>,
    pid: fn(&T) -> u32,
) -> Result<Vec<T>, nvmlReturn_t> {
    let mut samples = all?;
    let ids = own::ids(slice, device).unwrap_or_default();
    samples.retain(|sample| ids.contains(&pid(sample)));
    if samples.is_empty() { Err(nvmlReturn_t::NOT_FOUND) } else { Ok(samples) }
}

/// What the slice's processes used lately, together, of a device that is used like `card`; `None` where NVML cannot tell.
fn own_utilization(
    slice: &'static Slice,
    device: nvmlDevice_t,
    card: nvmlUtilization_t,
) -> Option<nvmlUtilization_t> {
    /// NVML's longest sample window.
    const WINDOW_US: u64 = 1_000_000;
    let ids = own::ids(slice, device)?;
    let since = (clock::realtime_ns() / 1000).saturating_sub(WINDOW_US);
    // SAFETY: a count and a place of ours.
    let ask = |count, place| unsafe { real::nvmlDeviceGetProcessUtilization(device, place, count, since) };
    let samples: Vec<nvmlProcessUtilizationSample_t> = match room::whole(ask) {
        Ok(samples) => samples,
        // Nobody used it.
        Err(nvmlReturn_t::NOT_FOUND) => Vec::new(),
        Err(_) => return None,
    };
    let latest = |pid: &u32| samples.iter().filter(|s| s.pid == *pid).max_by_key(|s| s.timeStamp);
    let own = || ids.iter().filter_map(latest);
    let scale = own::in_share(slice, device);
    Some(nvmlUtilization_t {
        gpu: scale(view::utilization(own().map(|sample| sample.smUtil), card.gpu)),
        memory: scale(view::utilization(own().map(|sample| sample.memUtil), card.memory)),
    })
}

/// What is metered of the slice's launches, on a device that is used like `card`; `None` where they are not metered. Memory is
/// used no longer than the multiprocessors.
fn metered_utilization(
    slice: &'static Slice,
    device: nvmlDevice_t,
    card: nvmlUtilization_t,
) -> Option<nvmlUtilization_t> {
    let scale = own::in_share(slice, device);
    let device = own::known(slice, device)?;
    let gpu = device.limit.is_metered().then(|| slice.use_lately(device))?;
    Some(nvmlUtilization_t { gpu: scale(gpu), memory: scale(card.memory.min(gpu)) })
}
