//! The management library, NVML.

#![allow(non_snake_case, reason = "the names of NVML")]

use super::interpose::interpose;
use super::library::{Entry, Hook, Library};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU16, Ordering::Acquire};
use cuda_sys::*;

pub(crate) static LIBRARY: Library = Library {
    soname: c"libnvidia-ml.so.1",
    prefix: "libnvidia-ml.so",
    hooked: &HOOKED,
    hooks: &HOOKS,
    real: &REAL,
    hashes: &HASHES,
    known: &[SYMBOLS],
    by_address: &BY_ADDRESS,
    loaded: AtomicPtr::new(null_mut()),
};

macro_rules! rows {
    ($($class:ident $since:literal $symbol:ident($($parameters:tt)*);)*) => {
        interpose! { nvmlReturn_t, nvmlReturn_t::FUNCTION_NOT_FOUND; $($class $symbol($($parameters)*);)* }
    };
}
cuda_sys::nvml_api!(rows);
