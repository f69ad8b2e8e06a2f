//! The user-mode driver, libcuda.

#![allow(non_snake_case, reason = "the names of the driver")]

use super::interpose::interpose;
use super::library::{Entry, Hook, Library};
use core::ffi::CStr;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
use cuda_sys::*;

pub(crate) static LIBRARY: Library = Library {
    soname: c"libcuda.so.1",
    prefix: "libcuda.so",
    hooked: &HOOKED,
    handle: AtomicPtr::new(null_mut()),
};

macro_rules! rows {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($parameters:tt)*);)*) => {
        interpose! { CUresult, CUresult::STUB_LIBRARY; $($class $symbol($($parameters)*);)* }
    };
}
cuda_sys::driver_api!(rows);
