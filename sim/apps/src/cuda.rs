//! The driver API, one function a row of the table. A function that the driver lacks returns
//! [`MISSING`](crate::cuda::MISSING), which no driver call does by itself.
#![allow(non_snake_case, clippy::too_many_arguments, reason = "names and signatures are the driver's own")]

use crate::symbol::Symbol;
use cuda_sys::*;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

/// `CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`: the driver has no such function, or there is no driver.
pub const MISSING: CUresult = CUresult(302);

macro_rules! callers {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {$(
        /// Calls the driver's function of this name.
        ///
        /// # Safety
        /// As the driver's documentation asks of its arguments.
        pub unsafe fn $symbol($($arg: $ty),*) -> CUresult {
            static SYMBOL: Symbol = Symbol::new(concat!(stringify!($symbol), "\0"));
            let address = SYMBOL.address();
            if address.is_null() {
                return MISSING;
            }
            // SAFETY: the table has the signature of the function of this name.
            let function: unsafe extern "C" fn($($ty),*) -> CUresult = unsafe { std::mem::transmute(address) };
            // SAFETY: forwarded to the caller.
            unsafe { function($($arg),*) }
        }
    )*};
}
cuda_sys::driver_api!(callers);
