//! Use of a device over past sample windows: of all of it, and by process.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_ulonglong};

use cuda_sys::{
    nvmlProcessUtilizationInfo_v1_t, nvmlProcessUtilizationSample_t, nvmlProcessesUtilizationInfo_t,
    nvmlReturn_t, nvmlSample_t, nvmlSamplingType_t, nvmlValue_t, nvmlValueType_t,
};
use sim_kernel::{Nanos, ProcessSample, Utilization};

use crate::abi::{InOut, Out, Outcome};
use crate::device::Device;
use crate::list::List;

/// What the real library asks callers to make room for, whatever there is.
const ROOM: c_uint = 100;

/// `NVML_GPU_UTILIZATION_SAMPLES`.
const GPU_SAMPLES: nvmlSamplingType_t = 1;
/// `NVML_MEMORY_UTILIZATION_SAMPLES`.
const MEMORY_SAMPLES: nvmlSamplingType_t = 2;

pub(crate) fn nvmlDeviceGetSamples(
    device: Device,
    kind: nvmlSamplingType_t,
    since: c_ulonglong,
    value_type: Out<nvmlValueType_t>,
    count: InOut<c_uint>,
    place: List<nvmlSample_t>,
) -> Outcome {
    let figure = match kind {
        GPU_SAMPLES => |utilization: Utilization| utilization.gpu,
        MEMORY_SAMPLES => |utilization: Utilization| utilization.memory,
        _ => return Err(nvmlReturn_t::NOT_SUPPORTED),
    };
    if count.get() == 0 && !place.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    let calendar = device.session().calendar;
    let samples = device.ask(|client, index| client.samples(index, calendar.instant(since)))?;
    if samples.is_empty() {
        return Err(nvmlReturn_t::NOT_FOUND);
    }
    value_type.set(nvmlValueType_t::UNSIGNED_INT);
    if place.is_null() {
        count.set(c_uint::try_from(samples.len()).map_err(|_| nvmlReturn_t::UNKNOWN)?);
        return Ok(());
    }
    // The oldest that fit: a caller that goes on from the last time stamp misses none.
    let room = usize::try_from(count.get()).unwrap_or(usize::MAX);
    place.answer(
        &count,
        samples.iter().take(room).map(|sample| nvmlSample_t {
            timeStamp: calendar.micros(sample.time),
            sampleValue: nvmlValue_t { ullVal: figure(sample.utilization).into() },
        }),
    )
}

/// Use by one process over the sample windows that were asked for, without those in which it used nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Use {
    pid: u32,
    /// End of the last window.
    time: Nanos,
    /// Mean over the windows.
    mean: Utilization,
}

/// Use by process, by pid.
fn by_process(samples: &[ProcessSample]) -> Vec<Use> {
    let mut processes = BTreeMap::<u32, Vec<&ProcessSample>>::new();
    for sample in samples {
        processes.entry(sample.pid).or_default().push(sample);
    }
    processes
        .into_iter()
        .filter_map(|(pid, samples)| {
            let windows = u32::try_from(samples.len()).ok()?;
            let mean = |figure: fn(&Utilization) -> u32| {
                (samples.iter().map(|sample| figure(&sample.utilization)).sum::<u32>() + windows / 2)
                    / windows
            };
            let mean = Utilization { gpu: mean(|u| u.gpu), memory: mean(|u| u.memory) };
            Some(Use { pid, time: samples.iter().map(|sample| sample.time).max()?, mean })
        })
        .collect()
}

/// Use by process since this time stamp.
///
/// # Errors
/// `NOT_FOUND` when nobody used the device: callers know that this is no failure.
fn uses(device: &Device, since: c_ulonglong) -> Outcome<Vec<Use>> {
    let instant = device.session().calendar.instant(since);
    let uses = by_process(&device.ask(|client, index| client.process_samples(index, instant))?);
    if uses.is_empty() { Err(nvmlReturn_t::NOT_FOUND) } else { Ok(uses) }
}

pub(crate) fn nvmlDeviceGetProcessUtilization(
    device: Device,
    place: List<nvmlProcessUtilizationSample_t>,
    count: InOut<c_uint>,
    since: c_ulonglong,
) -> Outcome {
    if place.is_null() {
        count.set(ROOM);
        return Err(nvmlReturn_t::INSUFFICIENT_SIZE);
    }
    let calendar = device.session().calendar;
    place.answer(
        &count,
        uses(&device, since)?.iter().map(|process| nvmlProcessUtilizationSample_t {
            pid: process.pid,
            timeStamp: calendar.micros(process.time),
            smUtil: process.mean.gpu,
            memUtil: process.mean.memory,
            encUtil: 0,
            decUtil: 0,
        }),
    )
}

pub(crate) fn nvmlDeviceGetProcessesUtilizationInfo(
    device: Device,
    info: InOut<nvmlProcessesUtilizationInfo_t>,
) -> Outcome {
    let request = info.get();
    if request.version != nvmlProcessesUtilizationInfo_t::VERSION {
        return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
    }
    let report = |number| info.set(nvmlProcessesUtilizationInfo_t { processSamplesCount: number, ..request });
    // SAFETY: the caller of the entry point promises the array as it promises the structure.
    let place = unsafe { List::at(request.procUtilArray) };
    if place.is_null() {
        report(ROOM);
        return Err(nvmlReturn_t::INSUFFICIENT_SIZE);
    }
    let calendar = device.session().calendar;
    place.fill(
        request.processSamplesCount,
        uses(&device, request.lastSeenTimeStamp)?.iter().map(|process| nvmlProcessUtilizationInfo_v1_t {
            timeStamp: calendar.micros(process.time),
            pid: process.pid,
            smUtil: process.mean.gpu,
            memUtil: process.mean.memory,
            ..nvmlProcessUtilizationInfo_v1_t::default()
        }),
        report,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pid: u32, time: u64, gpu: u32, memory: u32) -> ProcessSample {
        ProcessSample { pid, time: Nanos(time), utilization: Utilization { gpu, memory } }
    }

    #[test]
    fn a_process_is_told_once_with_its_mean_and_its_last_window() {
        let samples = [sample(9, 10, 100, 3), sample(4, 10, 50, 0), sample(9, 20, 51, 0)];
        let expected = [
            Use { pid: 4, time: Nanos(10), mean: Utilization { gpu: 50, memory: 0 } },
            Use { pid: 9, time: Nanos(20), mean: Utilization { gpu: 76, memory: 2 } },
        ];
        assert_eq!(by_process(&samples), expected);
        assert_eq!(by_process(&[]), []);
    }
}
