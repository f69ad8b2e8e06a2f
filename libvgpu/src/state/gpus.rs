//! What this library itself asks NVML.

use crate::abi::nvml::{LIBRARY, real};
use crate::errno;
use contract::{Bytes, Uuid};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use cuda_sys::*;
use std::ffi::{CStr, CString};

/// The UUIDs of the container's GPUs in NVML's order, which the indices in the environment mean.
///
/// # Errors
/// One line for standard error.
pub(super) fn in_order() -> Result<Vec<Uuid>, String> {
    with_nvml(|| {
        let mut count = 0;
        // SAFETY: `count` is valid for writing.
        check(unsafe { real::nvmlDeviceGetCount_v2(&raw mut count) })?;
        (0..count).map(|index| uuid(handle(index)?)).collect()
    })
    .map_err(|error| {
        format!(
            "vgpu: limits of single GPUs (CUDA_DEVICE_MEMORY_LIMIT_<i>) need NVML's order of the GPUs, and NVML failed \
             with code {error}; mount libnvidia-ml.so.1 into the container or set CUDA_DEVICE_MEMORY_LIMIT alone"
        )
    })
}

/// The process that has started NVML last, or is at it; 0 before.
static STARTER: AtomicU32 = AtomicU32::new(0);

/// Starts NVML by `call`.
pub(crate) fn start(call: impl FnOnce() -> nvmlReturn_t) -> nvmlReturn_t {
    let own = std::process::id();
    // A child may be forked during the call.
    let _ = STARTER.compare_exchange(0, own, Relaxed, Relaxed);
    let result = call();
    if result.is_success() {
        STARTER.store(own, Relaxed);
    }
    result
}

/// Whether NVML may wait here for a thread that is only in the process that this one was forked from. Natively only a
/// program that uses NVML in such a child would wait; we must not make one wait that uses the driver alone.
fn may_be_stuck() -> bool {
    ![0, std::process::id()].contains(&STARTER.load(Relaxed))
}

/// Runs `work` between our own `nvmlInit` and `nvmlShutdown`; NVML counts them, so the application's are not disturbed.
fn with_nvml<T>(work: impl FnOnce() -> Result<T, u32>) -> Result<T, u32> {
    if may_be_stuck() {
        return Err(nvmlReturn_t::IN_USE.0);
    }
    if !can_tell() {
        return Err(nvmlReturn_t::LIBRARY_NOT_FOUND.0);
    }
    errno::kept(|| {
        // SAFETY: NVML is loaded; the call has no other preconditions.
        check(start(|| unsafe { real::nvmlInit_v2() }))?;
        let result = work();
        // SAFETY: pairs with the call above.
        let _ = unsafe { real::nvmlShutdown() };
        result
    })
}

/// The UUID of a device; MIG instances and other families have none that is a GPU's.
pub(crate) fn uuid(device: nvmlDevice_t) -> Result<Uuid, u32> {
    let mut text = [0; 96];
    let length = c_uint::try_from(text.len()).unwrap_or(0);
    // SAFETY: the buffer is valid for `length` bytes.
    check(unsafe { real::nvmlDeviceGetUUID(device, text.as_mut_ptr(), length) })?;
    // SAFETY: NVML terminates the text within the buffer.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    text.to_str().ok().and_then(|text| text.parse().ok()).ok_or(nvmlReturn_t::UNKNOWN.0)
}

/// Whether there is an NVML to ask. One that was not found is not looked for again, which is slow; the application may
/// load it later.
pub(super) fn can_tell() -> bool {
    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if IS_MISSING.load(Relaxed) {
        return LIBRARY.is_loaded();
    }
    let is_there = LIBRARY.load();
    IS_MISSING.store(!is_there, Relaxed);
    is_there
}

/// Memory in use.
#[derive(Clone, Copy)]
pub(super) struct InUse {
    /// By this process; `None` where NVML does not list it under the id that it is asked for.
    pub(super) own: Option<Bytes>,
    /// On the whole device.
    pub(super) device: Bytes,
}

/// What NVML says is in use on `gpu`, also by the process that it lists as `id`; `None` where it cannot say.
pub(super) fn in_use(gpu: Uuid, id: u32) -> Option<InUse> {
    with_nvml(|| {
        let device = handle_with(gpu)?;
        let mut memory = nvmlMemory_t::default();
        // SAFETY: `memory` is valid for writing.
        check(unsafe { real::nvmlDeviceGetMemoryInfo(device, &raw mut memory) })?;
        Ok(InUse { own: own_use(device, id), device: Bytes(memory.used) })
    })
    .ok()
}

/// The processes that NVML lists on `gpu`, and what each uses; `None` where it cannot say.
pub(super) fn processes_on(gpu: Uuid) -> Option<Vec<(u32, Bytes)>> {
    let listed = with_nvml(|| compute_processes(handle_with(gpu)?)).ok()?;
    Some(listed.iter().map(|process| (process.pid, Bytes(process.usedGpuMemory))).collect())
}

fn own_use(device: nvmlDevice_t, id: u32) -> Option<Bytes> {
    let processes = compute_processes(device).ok()?;
    let own = processes.iter().find(|process| process.pid == id)?;
    // Some virtualised drivers list processes without their memory.
    Some(Bytes(own.usedGpuMemory)).filter(|bytes| bytes.0 != u64::MAX)
}

/// Every compute process on `device`, the slice's or not, under the id that NVML has for it.
pub(crate) fn compute_processes(device: nvmlDevice_t) -> Result<Vec<nvmlProcessInfo_t>, u32> {
    const MOST: usize = 1024;
    let mut processes = vec![nvmlProcessInfo_t::default(); MOST];
    let room = c_uint::try_from(processes.len()).unwrap_or(0);
    let mut count = room;
    // SAFETY: `processes` has room for `count`.
    let mut listed = unsafe {
        real::nvmlDeviceGetComputeRunningProcesses_v3(device, &raw mut count, processes.as_mut_ptr())
    };
    if listed == nvmlReturn_t::FUNCTION_NOT_FOUND {
        count = room;
        // SAFETY: as above; drivers before 510 have only this version, of the same form.
        listed = unsafe {
            real::nvmlDeviceGetComputeRunningProcesses_v2(device, &raw mut count, processes.as_mut_ptr())
        };
    }
    check(listed)?;
    processes.truncate(count as usize);
    Ok(processes)
}

/// Keeps NVML started for as long as this process lives, so that asking it is quick. For who asks again and again.
pub(crate) fn keep_started() {
    static KEEPER: AtomicU32 = AtomicU32::new(0);
    let own = std::process::id();
    if KEEPER.swap(own, Relaxed) != own {
        // A start without an end to it. Where it fails, so does whatever is asked.
        let _started = with_nvml(|| {
            // SAFETY: NVML is loaded; the call has no other preconditions.
            check(start(|| unsafe { real::nvmlInit_v2() }))
        });
    }
}

/// When the latest of NVML's sample windows of `gpu` began and ended, in its microseconds; `None` if that was at `last` or before.
///
/// A window begins where the one before it ended, so the first one is not told.
pub(super) fn latest_window(gpu: Uuid, last: u64) -> Result<Option<(u64, u64)>, u32> {
    /// `NVML_GPU_UTILIZATION_SAMPLES`
    const GPU_SAMPLES: nvmlSamplingType_t = 1;
    const MOST: usize = 256;
    with_nvml(|| {
        let device = handle_with(gpu)?;
        let mut kind = nvmlValueType_t::default();
        let none = nvmlSample_t { timeStamp: 0, sampleValue: nvmlValue_t { ullVal: 0 } };
        let mut samples = vec![none; MOST];
        let mut count = c_uint::try_from(MOST).unwrap_or(0);
        // SAFETY: `samples` has room for `count`; all are valid for writing.
        let told = unsafe {
            let (kind, count) = (&raw mut kind, &raw mut count);
            real::nvmlDeviceGetSamples(device, GPU_SAMPLES, 0, kind, count, samples.as_mut_ptr())
        };
        // How NVML says that there are none.
        if told == nvmlReturn_t::NOT_FOUND {
            return Ok(None);
        }
        check(told)?;
        let mut ends: Vec<u64> = samples.iter().take(count as usize).map(|sample| sample.timeStamp).collect();
        ends.sort_unstable();
        Ok(match *ends {
            [.., before, end] if before < end && end > last => Some((before, end)),
            _ => None,
        })
    })
}

/// What each process has used of `gpu` since an instant in NVML's microseconds; nothing of one that used nothing.
pub(super) fn use_since(gpu: Uuid, since: u64) -> Result<Vec<nvmlProcessUtilizationSample_t>, u32> {
    const MOST: usize = 256;
    with_nvml(|| {
        let device = handle_with(gpu)?;
        let mut samples = vec![nvmlProcessUtilizationSample_t::default(); MOST];
        let mut count = c_uint::try_from(MOST).unwrap_or(0);
        // SAFETY: `samples` has room for `count`.
        let told = unsafe {
            real::nvmlDeviceGetProcessUtilization(device, samples.as_mut_ptr(), &raw mut count, since)
        };
        // How NVML says that nobody used it.
        if told == nvmlReturn_t::NOT_FOUND {
            return Ok(Vec::new());
        }
        check(told)?;
        samples.truncate(count as usize);
        Ok(samples)
    })
}

fn handle_with(gpu: Uuid) -> Result<nvmlDevice_t, u32> {
    let text = CString::new(gpu.to_string()).map_err(|_| nvmlReturn_t::UNKNOWN.0)?;
    let mut device = nvmlDevice_t(core::ptr::null_mut());
    // SAFETY: `text` is NUL-terminated, `device` is valid for writing.
    check(unsafe { real::nvmlDeviceGetHandleByUUID(text.as_ptr(), &raw mut device) })?;
    Ok(device)
}

fn handle(index: c_uint) -> Result<nvmlDevice_t, u32> {
    let mut device = nvmlDevice_t(core::ptr::null_mut());
    // SAFETY: `device` is valid for writing.
    check(unsafe { real::nvmlDeviceGetHandleByIndex_v2(index, &raw mut device) })?;
    Ok(device)
}

fn check(result: nvmlReturn_t) -> Result<(), u32> {
    if result.is_success() { Ok(()) } else { Err(result.0) }
}
