//! NVML: its initialisation, and what it says of memory, processes and their use of a device.
//!
//! A program in a slice is told of the slice: its memory, and its own processes under the ids that they have for it. Of
//! everything else it is told what the driver says. `docs/container-view.md` is the whole picture.

mod accounting;
mod init;
mod lists;
mod memory;
mod own;
mod room;
mod sessions;
mod smi_entries;
mod smi_table;
mod utilization;

pub(crate) use accounting::*;
pub(crate) use init::*;
pub(crate) use lists::*;
pub(crate) use memory::*;
pub(crate) use sessions::*;
pub(crate) use smi_table::nvmlInternalGetExportTable;
pub(crate) use utilization::*;

use crate::state::{Slice, slice};
use cuda_sys::nvmlReturn_t;

/// Answers inside a slice by `limited`, natively without one.
///
/// Where there should be a slice and is none, NVML is not initialised either, as far as that is up to us.
fn in_slice(
    native: impl FnOnce() -> nvmlReturn_t,
    limited: impl FnOnce(&'static Slice) -> nvmlReturn_t,
) -> nvmlReturn_t {
    match slice() {
        Ok(None) => native(),
        Ok(Some(slice)) => limited(slice),
        Err(_) => nvmlReturn_t::UNKNOWN,
    }
}
