//! The management library, one function a row of the table. A function that it lacks returns
//! [`nvmlReturn_t::FUNCTION_NOT_FOUND`].
#![allow(non_snake_case, clippy::too_many_arguments, reason = "names and signatures are NVML's own")]

use crate::callers::callers;
use crate::symbol::{self, Symbol};
use cuda_sys::*;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

macro_rules! rows {
    ($($class:ident $since:literal $symbol:ident($($parameters:tt)*);)*) => {
        callers! { NVML -> nvmlReturn_t, nvmlReturn_t::FUNCTION_NOT_FOUND; $($symbol($($parameters)*);)* }
    };
}
cuda_sys::nvml_api!(rows);
