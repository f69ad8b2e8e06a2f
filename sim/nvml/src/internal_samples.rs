//! The slot of the internal table from which `nvidia-smi pmon` takes what processes use.
//!
//! Seen in use by nvidia-smi 535 and 550: a device, a time stamp of which newer samples are wanted, a place that is not
//! looked at, the number of samples, and their place. A sample is the time, then for each engine 80 bytes: percent at 0,
//! process id at 8 (all ones: nobody used it). The engines are the SMs, the memory, the encoder and the decoder, and from
//! branch 550 on the JPEG engine and optical flow. nvidia-smi shows the mean over all samples.

use std::ffi::{c_uint, c_ulonglong};

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use sim_kernel::ProcessSample;

use crate::abi::{FromAbi, InOut, Outcome, code};
use crate::branch::selected;
use crate::device::Device;
use crate::list::List;

/// Bytes of an engine in a sample.
const ENGINE: usize = 80;
/// In place of a process id: nobody.
const NOBODY: u32 = u32::MAX;

/// # Safety
/// `count` and `samples` must be null or valid, the latter for as many samples of the branch as `count` says.
pub(crate) unsafe extern "C" fn process_samples(
    device: nvmlDevice_t,
    since: c_ulonglong,
    _unknown: *mut c_uint,
    count: *mut c_uint,
    samples: *mut u8,
) -> nvmlReturn_t {
    let outcome = || {
        // SAFETY: a handle is no pointer to be followed.
        let device: Device = unsafe { FromAbi::from_abi(device) }?;
        // SAFETY: the caller's promise.
        let count: InOut<c_uint> = unsafe { FromAbi::from_abi(count) }?;
        // SAFETY: the caller's promise.
        let place: List<u8> = unsafe { FromAbi::from_abi(samples) }?;
        tell(&device, since, &count, &place)
    };
    code(outcome())
}

fn tell(device: &Device, since: c_ulonglong, count: &InOut<c_uint>, place: &List<u8>) -> Outcome {
    let calendar = device.session().calendar;
    let windows = device.ask(|client, index| client.process_samples(index, calendar.instant(since)))?;
    if windows.is_empty() {
        count.set(0);
        return Err(nvmlReturn_t::NOT_FOUND);
    }
    // The newest that fit.
    let room = usize::try_from(count.get()).unwrap_or(usize::MAX);
    let newest = &windows[windows.len().saturating_sub(room)..];
    let engines = selected().sample_engines;
    let bytes = newest.iter().flat_map(|window| sample(calendar.micros(window.time), window, engines));
    let bytes: Vec<u8> = bytes.collect();
    count.set(c_uint::try_from(newest.len()).map_err(|_| nvmlReturn_t::UNKNOWN)?);
    let length = c_uint::try_from(bytes.len()).map_err(|_| nvmlReturn_t::UNKNOWN)?;
    place.fill(length, bytes.into_iter(), |_| ())
}

fn sample(micros: u64, window: &ProcessSample, engines: usize) -> Vec<u8> {
    let used = [window.utilization.gpu, window.utilization.memory];
    let mut bytes = micros.to_ne_bytes().to_vec();
    for engine in 0..engines {
        let (percent, pid) = used.get(engine).map_or((0, NOBODY), |percent| (*percent, window.pid));
        let mut block = [0; ENGINE];
        block[..4].copy_from_slice(&percent.to_ne_bytes());
        block[8..12].copy_from_slice(&pid.to_ne_bytes());
        bytes.extend(block);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use sim_kernel::{Nanos, Utilization};

    use super::*;
    use crate::branch::{BRANCH_535, BRANCH_550};

    #[test]
    fn a_sample_has_the_size_that_nvidia_smi_steps_by() {
        let window =
            ProcessSample { pid: 7, time: Nanos(0), utilization: Utilization { gpu: 37, memory: 5 } };
        let size = |branch: &crate::Branch| sample(1, &window, branch.sample_engines).len();
        assert_eq!((size(&BRANCH_535), size(&BRANCH_550)), (328, 488));
    }
}
