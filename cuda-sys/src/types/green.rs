//! Resources that green contexts divide.

use super::{CUdevResourceType, c_uchar, c_uint, layouts};

/// A resource of a device, or a part of one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUdevResource {
    /// Which resource; the header calls it `type`.
    pub kind: CUdevResourceType,
    /// Not for programs.
    pub _internal_padding: [c_uchar; 92],
    /// Multiprocessors, if it is that.
    pub sm: CUdevSmResource,
    /// Room for other resources, and since API 13.1 the next resource of a list.
    pub rest: [u32; 8],
}

/// A number of multiprocessors.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUdevSmResource {
    /// How many.
    pub smCount: c_uint,
    /// The least that a part can have (API 13.0).
    pub minSmPartitionSize: c_uint,
    /// What the number of a part is a multiple of (API 13.0).
    pub smCoscheduledAlignment: c_uint,
    /// Flags (API 13.1).
    pub flags: c_uint,
}

layouts! {
    CUdevResource 144 { kind, sm }
}
