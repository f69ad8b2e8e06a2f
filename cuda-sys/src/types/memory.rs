//! Where memory is, how it is created, and how it is shared.

use super::{
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, c_int, c_uchar,
    c_ushort, c_void, layouts,
};

/// A place memory can be.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUmemLocation {
    /// What `id` counts.
    pub kind: CUmemLocationType,
    /// A device ordinal or a NUMA node; with `DEVICE_LOCALITY_DOMAIN` the device in the lowest byte and its domain in
    /// the next.
    pub id: c_int,
}

/// What `cuMemCreate` creates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp {
    /// Kind of memory.
    pub kind: CUmemAllocationType,
    /// How it may be exported.
    pub requestedHandleTypes: CUmemAllocationHandleType,
    /// Where it is to be: of a device, that device, whichever context is current.
    pub location: CUmemLocation,
    /// Null on this system.
    pub win32HandleMetaData: *mut c_void,
    /// The rest.
    pub allocFlags: CUmemAllocationPropFlags,
}

/// The `allocFlags` of [`CUmemAllocationProp`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUmemAllocationPropFlags {
    /// Whether to compress.
    pub compressionType: c_uchar,
    /// Whether other devices may read and write it directly.
    pub gpuDirectRDMACapable: c_uchar,
    /// What it is for, as bits.
    pub usage: c_ushort,
    /// Zero.
    pub reserved: [c_uchar; 4],
}

/// What `cuMemPoolCreate` creates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemPoolProps {
    /// Kind of memory.
    pub allocType: CUmemAllocationType,
    /// How it may be exported.
    pub handleTypes: CUmemAllocationHandleType,
    /// Where it is to be.
    pub location: CUmemLocation,
    /// Null on this system.
    pub win32SecurityAttributes: *mut c_void,
    /// Most bytes the pool may reserve, or 0.
    pub maxSize: usize,
    /// What it is for, as bits.
    pub usage: c_ushort,
    /// Whether other devices may read and write it directly (API 13.2; zero before).
    pub gpuDirectRDMACapable: c_uchar,
    /// Zero.
    pub reserved: [c_uchar; 53],
}

/// What one location may do with a mapping.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUmemAccessDesc {
    /// Who.
    pub location: CUmemLocation,
    /// What.
    pub flags: CUmemAccess_flags,
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub [u8; 64]);
    )* };
}

tokens! {
    /// Names memory to another process.
    CUipcMemHandle
    /// Names an event to another process.
    CUipcEventHandle
    /// Names an allocation of a shared pool to another process.
    CUmemPoolPtrExportData
}

layouts! {
    CUmemLocation 8 { kind, id }
    CUmemAllocationProp 32 { kind, requestedHandleTypes, location, win32HandleMetaData, allocFlags }
    CUmemPoolProps 88 {
        allocType, handleTypes, location, win32SecurityAttributes, maxSize, usage, gpuDirectRDMACapable,
        reserved,
    }
    CUmemAccessDesc 12 { location, flags }
    CUipcMemHandle 64 {}
    CUipcEventHandle 64 {}
    CUmemPoolPtrExportData 64 {}
}
