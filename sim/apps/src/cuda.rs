//! The driver API, one function a row of the table. A function that the driver lacks returns
//! [`MISSING`], which no driver call does by itself.
#![allow(non_snake_case, clippy::too_many_arguments, reason = "names and signatures are the driver's own")]

use crate::callers::callers;
use crate::symbol::{self, Symbol};
use cuda_sys::*;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

/// `CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`: the driver has no such function, or there is no driver.
pub const MISSING: CUresult = CUresult(302);

macro_rules! rows {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($parameters:tt)*);)*) => {
        callers! { CUDA -> CUresult, MISSING; $($symbol($($parameters)*);)* }
    };
}
cuda_sys::driver_api!(rows);
