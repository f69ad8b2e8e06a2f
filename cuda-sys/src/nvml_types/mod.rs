//! NVML types, with the header's names; see [`types`](crate::types) for the conventions.

mod device;
mod events;
mod facts;
mod integers;
mod memory;
mod opaque;
mod processes;

pub use device::*;
pub use events::*;
pub use facts::*;
pub use integers::*;
pub use memory::*;
pub use opaque::*;
pub use processes::*;

use core::ffi::c_uint;

/// The `version` field of a versioned structure: its size, with the version's number in the top byte.
#[must_use]
pub const fn nvml_struct_version(size: c_uint, version: c_uint) -> c_uint {
    size | (version << 24)
}
