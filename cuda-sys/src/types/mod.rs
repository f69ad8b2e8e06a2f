//! Driver types, with the header's names.
//!
//! Handles are distinct pointer types that are never dereferenced. Enumerations are integers with named constants:
//! a driver newer than this table may use any value. A structure has its fields only where somebody reads or writes
//! them, and is opaque otherwise.

mod arrays;
mod attributes;
mod device;
mod facts;
mod formats;
mod graph_nodes;
mod graphs;
mod green;
mod integers;
mod launch;
mod layout;
mod memory;
mod opaque;
mod sparse;
mod textures;

pub use arrays::*;
pub use attributes::*;
pub use core::ffi::{c_char, c_int, c_longlong, c_uchar, c_uint, c_ulong, c_ulonglong, c_ushort, c_void};
pub use device::*;
pub use facts::*;
pub use formats::*;
pub use graph_nodes::*;
pub use graphs::*;
pub use green::*;
pub use integers::*;
pub(crate) use integers::{integers, plain_integers};
pub use launch::*;
pub use layout::Layout;
pub(crate) use layout::layouts;
pub use memory::*;
pub use opaque::*;
pub(crate) use opaque::{handles, opaque};
pub use sparse::*;
pub use textures::*;

/// A device ordinal.
pub type CUdevice = c_int;
/// A device address.
pub type CUdeviceptr = u64;
/// A device address of the 32-bit era (API 2.0).
pub type CUdeviceptr_v1 = c_uint;
/// The header's fixed 32-bit integer.
pub type cuuint32_t = u32;
/// The header's fixed 64-bit integer.
pub type cuuint64_t = u64;
/// A physical allocation of the virtual memory API.
pub type CUmemGenericAllocationHandle = c_ulonglong;
/// The number of a logical endpoint.
pub type CUlogicalEndpointId = cuuint32_t;
/// A VDPAU device.
pub type VdpDevice = u32;
