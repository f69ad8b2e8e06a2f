//! What stands in the slots of nvidia-smi's table: its forms of the process lists and of the samples.

use super::lists::NO_INSTANCE;
use super::smi_table::{ORIGINALS, Originals};
use super::{in_slice, own, room};
use crate::abi::nvml::real;
use crate::state::{Process, gpu_uuid};
use core::mem::transmute;
use cuda_sys::*;

/// A process in the lists of this table.
#[repr(C)]
pub(super) struct Entry {
    pid: c_uint,
    used_memory: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
    protected_memory: c_ulonglong,
    /// nvidia-smi leaves a process without a name out.
    name: [c_char; NAME],
}

const NAME: usize = 4096;
const _: () = assert!(size_of::<Entry>() == 4128);

/// The slot of compute processes.
pub(super) unsafe extern "C" fn compute_processes(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
) -> nvmlReturn_t {
    // SAFETY: the caller's arguments.
    unsafe { list(device, count, entries, |slice| own::processes(slice, device)) }
}

/// The slots of graphics and MPS processes, of which the region knows nothing.
pub(super) unsafe extern "C" fn no_processes(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
) -> nvmlReturn_t {
    // SAFETY: the caller's arguments.
    unsafe { list(device, count, entries, |_| Vec::new()) }
}

/// # Safety
/// `count` must be null or valid for reading and writing, and `entries` null or valid for as many as it says.
unsafe fn list(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
    processes: impl FnOnce(&'static crate::state::Slice) -> Vec<Process>,
) -> nvmlReturn_t {
    in_slice(nothing, |slice| match gpu_uuid(device) {
        Err(code) => nvmlReturn_t(code),
        Ok(_) if count.is_null() => nvmlReturn_t::INVALID_ARGUMENT,
        // SAFETY: promised by the caller; not null.
        Ok(_) => unsafe { room::fill(count, entries, processes(slice).into_iter().map(describe)) },
    })
}

/// These functions are only reached through a table that was made for a slice.
fn nothing() -> nvmlReturn_t {
    nvmlReturn_t::NOT_SUPPORTED
}

fn describe(process: Process) -> Entry {
    Entry {
        pid: process.pid,
        used_memory: process.used.0,
        gpu_instance: NO_INSTANCE,
        compute_instance: NO_INSTANCE,
        protected_memory: 0,
        name: name(process.pid),
    }
}

/// What NVML calls the process; `-` where it may not look.
fn name(pid: u32) -> [c_char; NAME] {
    let mut name = [0; NAME];
    let length = c_uint::try_from(NAME).unwrap_or(0);
    // SAFETY: the buffer is valid for `length` bytes.
    let told = unsafe { real::nvmlSystemGetProcessName(pid, name.as_mut_ptr(), length) };
    let [first, .., last] = &mut name;
    *last = 0;
    if !told.is_success() || *first == 0 {
        return unnamed();
    }
    name
}

fn unnamed() -> [c_char; NAME] {
    let mut name = [0; NAME];
    let [first, ..] = &mut name;
    *first = c_char::from_ne_bytes([b'-']);
    name
}

/// Bytes of a sample before its engines: when it was taken.
const TIME: usize = 8;
/// Bytes of an engine in a sample: how much of it was used, by whom, and what that is called.
const ENGINE: usize = 80;
/// Where in them the process id is.
const ENGINE_PID: usize = 8;

type Samples =
    unsafe extern "C" fn(nvmlDevice_t, c_ulonglong, *mut c_uint, *mut c_uint, *mut u8) -> nvmlReturn_t;

/// The slot of samples: the driver's, in which an engine that another tenant used is one that nobody used, and use is in
/// percent of the slice's share.
pub(super) unsafe extern "C" fn filter_samples(
    device: nvmlDevice_t,
    since: c_ulonglong,
    unknown: *mut c_uint,
    count: *mut c_uint,
    samples: *mut u8,
) -> nvmlReturn_t {
    in_slice(nothing, |slice| {
        let Some(Originals { samples: original, engines }) = ORIGINALS.get() else { return nothing() };
        // SAFETY: the slot of this number has this type in every branch whose engines are known.
        let original = unsafe { transmute::<*const c_void, Samples>(*original) };
        if count.is_null() || samples.is_null() {
            // SAFETY: the caller's arguments.
            return unsafe { original(device, since, unknown, count, samples) };
        }
        // SAFETY: not null; the caller says how much room there is.
        let room = unsafe { count.read() };
        // SAFETY: the caller's arguments.
        let result = unsafe { original(device, since, unknown, count, samples) };
        // SAFETY: as above.
        let told = unsafe { count.read() };
        if told == room && is_refusal(result) {
            return result;
        }
        let number = told.min(room);
        let bytes = number as usize * (TIME + engines * ENGINE);
        // SAFETY: the caller has room for `room` samples of this size, which are plain bytes.
        let samples = unsafe { core::slice::from_raw_parts_mut(samples, bytes) };
        let (ids, scale) = (own::ids(slice, device).unwrap_or_default(), own::in_share(slice, device));
        for sample in samples.chunks_exact_mut(TIME + engines * ENGINE) {
            hide_others(sample, &ids);
            scale_use(sample, &scale);
        }
        result
    })
}

/// Whether the driver did not get as far as samples. Else nvidia-smi looks at them also when it is told that there were none.
fn is_refusal(result: nvmlReturn_t) -> bool {
    !matches!(result, nvmlReturn_t::SUCCESS | nvmlReturn_t::NOT_FOUND | nvmlReturn_t::INSUFFICIENT_SIZE)
}

/// Empties the engines of a sample that were used by a process that is not among `ids`.
fn hide_others(sample: &mut [u8], ids: &[u32]) {
    const PID: core::ops::Range<usize> = ENGINE_PID..ENGINE_PID + size_of::<u32>();
    let Some(engines) = sample.get_mut(TIME..) else { return };
    for engine in engines.chunks_exact_mut(ENGINE) {
        let pid = engine.get(PID).and_then(|pid| pid.try_into().ok()).map(u32::from_ne_bytes);
        if !pid.is_some_and(|pid| ids.contains(&pid)) {
            engine.fill(0);
            // The id that says that there is no process.
            engine.get_mut(PID).into_iter().for_each(|pid| pid.fill(u8::MAX));
        }
    }
}

/// Tells the use of the multiprocessors and of the memory, the first two engines of a sample, by `scale`.
fn scale_use(sample: &mut [u8], scale: impl Fn(u32) -> u32) {
    let Some(engines) = sample.get_mut(TIME..) else { return };
    for engine in engines.chunks_exact_mut(ENGINE).take(2) {
        if let Some(percent) = engine.first_chunk_mut() {
            *percent = scale(u32::from_ne_bytes(*percent)).to_ne_bytes();
        }
    }
}
