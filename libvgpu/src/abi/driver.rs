//! The user-mode driver, libcuda.

#![allow(non_snake_case, reason = "the names of the driver")]

use super::interpose::interpose;
use super::library::{Entry, Hook, Library};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU16, Ordering::Acquire};
use cuda_sys::*;

pub(crate) static LIBRARY: Library = Library {
    soname: c"libcuda.so.1",
    prefix: "libcuda.so",
    hooked: &HOOKED,
    hooks: &HOOKS,
    real: &REAL,
    hashes: &HASHES,
    known: &[SYMBOLS, QUERIES],
    by_address: &BY_ADDRESS,
    loaded: AtomicPtr::new(null_mut()),
};

macro_rules! rows {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($parameters:tt)*);)*) => {
        /// The hashes of the names that `cuGetProcAddress` knows.
        const QUERIES: &[u32] = &[$(super::elf::gnu_hash($query.as_bytes())),*];

        interpose! { CUresult, CUresult::STUB_LIBRARY; $($class $symbol($($parameters)*);)* }
    };
}
cuda_sys::driver_api!(rows);
