//! The entry points.

#![allow(clippy::missing_safety_doc, reason = "as the CUDA documentation of each function demands")]
#![allow(missing_docs, reason = "named and specified by the CUDA documentation")]

mod context;
mod device;
mod graph;
mod memory;
mod unique;
mod work;

use cuda_sys::*;

pub use context::*;
pub use device::*;
pub use graph::*;
pub use memory::*;
pub use sim_driver::entry::{
    cuDriverGetVersion, cuGetErrorName, cuGetErrorString, cuGetExportTable, cuGetProcAddress,
    cuGetProcAddress_v2,
};
pub use work::*;

include!(concat!(env!("OUT_DIR"), "/supported.rs"));

/// Every function has the signature of its row.
macro_rules! check {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => { $(
        if_simulated! { $symbol { const _: unsafe extern "C" fn($($ty),*) -> CUresult = $symbol; } }
    )* };
}
cuda_sys::driver_api!(check);

/// What every other exported name jumps to. Here it is never too early for a call.
pub extern "C" fn not_supported() -> CUresult {
    CUresult::NOT_SUPPORTED
}

/// Stores a result where the caller wants it.
///
/// # Safety
///
/// `place` must be null or valid for a write.
#[inline]
unsafe fn store<T>(place: *mut T, value: T) -> CUresult {
    if place.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: not null, so the caller vouches for it.
    unsafe { place.write(value) };
    CUresult::SUCCESS
}

/// Functions that succeed and do nothing.
macro_rules! idle {
    ($($name:ident($($ty:ty),*);)*) => { $(
        pub unsafe extern "C" fn $name($(_: $ty),*) -> CUresult {
            CUresult::SUCCESS
        }
    )* };
}
use idle;

/// Functions that give a handle which was never given before.
macro_rules! makers {
    ($($kind:ident: $name:ident($($ty:ty),*);)*) => { $(
        pub unsafe extern "C" fn $name(made: *mut $kind $(, _: $ty)*) -> CUresult {
            let handle = $kind(std::ptr::without_provenance_mut(super::unique::handle()));
            // SAFETY: the caller's place for a handle.
            unsafe { super::store(made, handle) }
        }
    )* };
}
use makers;
