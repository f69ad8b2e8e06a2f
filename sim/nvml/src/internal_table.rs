//! The internal table that nvidia-smi takes its process lists from.
//!
//! It has no documentation. What is here was found by watching the nvidia-smi of both branches use a table of stubs:
//! word 0 is the size of the table in bytes, every other word a function, and the slots below are those that a plain
//! `nvidia-smi` needs. All others answer that they are not supported.

#![allow(non_snake_case, reason = "bodies are called like the functions they implement")]

use std::ffi::{c_char, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cuda_sys::{CUuuid, nvmlDevice_t, nvmlReturn_t};
use sim_kernel::ProcessMemory;

use crate::abi::{FromAbi, Given, InOut, Out, Outcome, chars, code};
use crate::branch::selected;
use crate::device::Device;
use crate::internal_samples::process_samples;
use crate::list::List;
use crate::{calls, entry};

/// The name of the table.
const TABLE_ID: [u8; 16] =
    [0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4];

/// Slot of the function that writes a line of trace, in the manner of `printf`.
const TRACE: usize = 26;
/// Slot of the function that tells whether a device can be monitored: what `dmon` and `pmon` ask first.
const MONITORABLE: usize = 72;
/// Slot of the handle of a device by its index, with the arguments of the public function.
const HANDLE_BY_INDEX: usize = 81;
/// Slot of the samples of what processes use, for `pmon`.
const PROCESS_SAMPLES: usize = 145;
/// Slots of the process lists, which take a device, a count and the entries.
const COMPUTE_PROCESSES: usize = 213;
/// As above, of graphics.
const GRAPHICS_PROCESSES: usize = 214;
/// As above, of MPS clients.
const MPS_PROCESSES: usize = 215;

/// A process in the lists of this table.
#[repr(C)]
struct Entry {
    pid: c_uint,
    used_memory: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
    protected_memory: u64,
    name: [c_char; 4096],
}

const _: () = assert!(size_of::<Entry>() == 4128);

/// One word for each slot.
#[derive(Debug)]
struct Table(Box<[*const c_void]>);

// SAFETY: the words are a number and addresses of functions; nothing is ever written through them.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Hands out the table, also before an initialisation and without a device.
pub(crate) fn nvmlInternalGetExportTable(place: Out<*const c_void>, id: Given<CUuuid>) -> Outcome {
    if id.0.bytes != TABLE_ID {
        place.set(ptr::null());
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| build(selected().internal_table_bytes));
    place.set(table.0.as_ptr().cast());
    Ok(())
}

fn build(bytes: usize) -> Table {
    let mut words = vec![entry::not_simulated as *const c_void; bytes / size_of::<*const c_void>()];
    words[0] = ptr::without_provenance(bytes);
    let functions = [
        (TRACE, trace as *const c_void),
        (MONITORABLE, monitorable as *const c_void),
        (HANDLE_BY_INDEX, entry::nvmlDeviceGetHandleByIndex_v2 as *const c_void),
        (PROCESS_SAMPLES, process_samples as *const c_void),
        (COMPUTE_PROCESSES, compute_processes as *const c_void),
        (GRAPHICS_PROCESSES, no_processes as *const c_void),
        (MPS_PROCESSES, no_processes as *const c_void),
    ];
    for (slot, function) in functions {
        // An older branch's table ends before the last of them.
        if let Some(word) = words.get_mut(slot) {
            *word = function;
        }
    }
    Table(words.into())
}

/// Traces nothing. Its arguments, a format and what belongs to it, stay where a caller puts them.
extern "C" fn trace() {}

unsafe extern "C" fn monitorable(device: nvmlDevice_t, answer: *mut c_uint) -> nvmlReturn_t {
    let yes = || {
        // SAFETY: a handle is no pointer to be followed.
        let _: Device = unsafe { FromAbi::from_abi(device) }?;
        // SAFETY: the caller's promise.
        let answer: Out<c_uint> = unsafe { FromAbi::from_abi(answer) }?;
        answer.set(1);
        Ok(())
    };
    code(yes())
}

unsafe extern "C" fn compute_processes(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, the same as for the public lists.
    code(unsafe { list(device, count, entries, calls::compute_processes) })
}

unsafe extern "C" fn no_processes(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, the same as for the public lists.
    code(unsafe { list(device, count, entries, calls::no_processes) })
}

/// # Safety
/// As for the public process lists.
unsafe fn list(
    device: nvmlDevice_t,
    count: *mut c_uint,
    entries: *mut Entry,
    processes: fn(&Device) -> Outcome<Vec<ProcessMemory>>,
) -> Outcome {
    // SAFETY: a handle is no pointer to be followed.
    let device: Device = unsafe { FromAbi::from_abi(device) }?;
    // SAFETY: the caller's promise.
    let count: InOut<c_uint> = unsafe { FromAbi::from_abi(count) }?;
    // SAFETY: the caller's promise.
    let entries: List<Entry> = unsafe { FromAbi::from_abi(entries) }?;
    entries.answer(&count, processes(&device)?.iter().map(describe))
}

fn describe(process: &ProcessMemory) -> Entry {
    let name = calls::process_name(process.pid).unwrap_or_default();
    Entry {
        pid: process.pid,
        used_memory: process.used.0,
        gpu_instance: calls::NO_INSTANCE,
        compute_instance: calls::NO_INSTANCE,
        protected_memory: 0,
        name: chars(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branch::{BRANCH_470, BRANCH_535, BRANCH_550, BRANCH_570};

    #[test]
    fn each_branch_has_the_size_of_its_real_table_and_a_function_in_every_slot() {
        for (branch, slots) in
            [(&BRANCH_470, 213), (&BRANCH_535, 245), (&BRANCH_550, 251), (&BRANCH_570, 255)]
        {
            let table = build(branch.internal_table_bytes);
            assert_eq!(table.0.len(), slots, "{}", branch.name);
            assert_eq!(table.0[0].addr(), branch.internal_table_bytes);
            assert!(table.0.iter().all(|word| !word.is_null()));
        }
    }
}
