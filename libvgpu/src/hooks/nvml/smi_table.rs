//! The internal table that nvidia-smi takes its process lists from: in a slice, a copy with the slice's.
//!
//! What is known of it, and for which branches, is in `contract::nvidia_smi`.

use super::smi_entries::{compute_processes, filter_samples, no_processes};
use crate::abi::nvml::real;
use crate::report;
use crate::state::{slice, variable};
use contract::nvidia_smi::{self, Layout, Treatment};
use core::ffi::CStr;
use core::mem::size_of;
use core::ptr::without_provenance;
use cuda_sys::*;
use std::sync::OnceLock;

pub(crate) unsafe fn nvmlInternalGetExportTable(
    exportTable: *mut *const c_void,
    exportTableId: *const CUuuid,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::nvmlInternalGetExportTable(exportTable, exportTableId) };
    if !result.is_success() || matches!(slice(), Ok(None)) {
        return result;
    }
    // SAFETY: NVML has just read it.
    if unsafe { (*exportTableId).bytes } == nvidia_smi::TABLE {
        // SAFETY: NVML has just written to it.
        let table = unsafe { &mut *exportTable };
        // SAFETY: it is the address of this very table.
        *table = unsafe { substitute(table.cast()) };
    }
    result
}

/// A word of a table: its size, or the address of a function.
type Word = *const c_void;

/// A table for nvidia-smi; `None` stands for the driver's own.
struct Table(Option<Box<[Word]>>);

// SAFETY: the words are a number and addresses of functions, which are never written through.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The slots of the driver's table that replacements call.
pub(super) struct Originals {
    /// Samples of what processes use.
    pub(super) samples: Word,
    /// Engines in one of them.
    pub(super) engines: usize,
}

// SAFETY: the address of a function.
unsafe impl Send for Originals {}
// SAFETY: as above.
unsafe impl Sync for Originals {}

pub(super) static ORIGINALS: OnceLock<Originals> = OnceLock::new();

/// What stands in for the driver's table at `native`. Made once, and there for ever: programs keep the address.
///
/// # Safety
/// `native` must be a table of that name.
unsafe fn substitute(native: *const Word) -> *const c_void {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        if !is_on() {
            return Table(None);
        }
        let words = match Treatment::of_nvml(&nvml_version()) {
            // SAFETY: promised by the caller.
            Treatment::Patched(layout) => unsafe { patched(native, &layout) },
            Treatment::Emptied => None,
        };
        Table(Some(words.unwrap_or_else(|| Box::new([without_provenance(size_of::<Word>())]))))
    });
    table.0.as_ref().map_or(native, |words| words.as_ptr()).cast()
}

/// A copy with the slice's processes; `None` when the table is not as large as one of its branch.
///
/// # Safety
/// `native` must be a table of a branch with this layout.
unsafe fn patched(native: *const Word, layout: &Layout) -> Option<Box<[Word]>> {
    /// Far more than any branch has; a size beyond it is no size.
    const MOST: usize = 1 << 16;
    // SAFETY: promised by the caller: the first word is the size.
    let bytes = unsafe { native.read() }.addr();
    if !(layout.bytes()..=MOST).contains(&bytes) || !bytes.is_multiple_of(size_of::<Word>()) {
        return None;
    }
    // SAFETY: as above: the table is as large as it says.
    let mut words = unsafe { core::slice::from_raw_parts(native, bytes / size_of::<Word>()) }.to_vec();
    let [compute, graphics, mps] = layout.lists;
    *words.get_mut(compute)? = compute_processes as *const c_void;
    *words.get_mut(graphics)? = no_processes as *const c_void;
    *words.get_mut(mps)? = no_processes as *const c_void;
    let samples = words.get_mut(layout.samples)?;
    if let Some(engines) = layout.engines {
        let _ = ORIGINALS.set(Originals { samples: *samples, engines });
    }
    *samples = filter_samples as *const c_void;
    Some(words.into())
}

/// Whether processes are to be the slice's. A wrong value is said once, as this is asked once.
fn is_on() -> bool {
    let value = variable(nvidia_smi::SWITCH).map(|value| value.to_string_lossy().into_owned());
    nvidia_smi::is_on(value.as_deref()).unwrap_or_else(|error| {
        report::line(&error);
        true
    })
}

/// The library's version: it is the one that has the table.
fn nvml_version() -> String {
    let mut text = [0; 96];
    let length = c_uint::try_from(text.len()).unwrap_or(0);
    // SAFETY: the buffer is valid for `length` bytes.
    if !unsafe { real::nvmlSystemGetNVMLVersion(text.as_mut_ptr(), length) }.is_success() {
        return String::new();
    }
    // SAFETY: NVML terminates the text within the buffer.
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}
