//! Driver types, with the header's names. Handles are distinct pointer types; nothing here is ever dereferenced.

pub use core::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// A device ordinal.
pub type CUdevice = c_int;
/// A device address.
pub type CUdeviceptr = u64;
/// A device address of the 32-bit era (API 2.0).
pub type CUdeviceptr_v1 = c_uint;
/// The header's fixed 64-bit integer.
pub type cuuint64_t = u64;
/// A physical allocation of the virtual memory API.
pub type CUmemGenericAllocationHandle = c_ulonglong;
/// What `cuGetProcAddress_v2` says of a symbol: 0 found, 1 no such symbol, 2 version not sufficient.
pub type CUdriverProcAddressQueryResult = c_uint;

/// A 16-byte device identity.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CUuuid {
    /// The bytes, in the order `GPU-xxxxxxxx-...` prints them.
    pub bytes: [u8; 16],
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub *mut c_void);
    )* };
}

handles! {
    /// A context.
    CUcontext
    /// A kernel of a module.
    CUfunction
    /// A stream; 0, 1 and 2 are the default streams.
    CUstream
    /// An event.
    CUevent
    /// A loaded module.
    CUmodule
}

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name([u8; 0]);
    )* };
}

opaque! {
    /// Where and how to create physical memory.
    CUmemAllocationProp
}
