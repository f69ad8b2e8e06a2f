//! The entry points with their C signatures: one function a simulated row of the table.

#![allow(non_snake_case, reason = "they are called as the library's functions")]

use std::ffi::{c_char, c_int};

use cuda_sys::*;

use crate::abi::{FromAbi, Outcome, code};
use crate::{calls, library};

include!(concat!(env!("OUT_DIR"), "/rows.rs"));

/// What the real library answers without an initialisation; everything else is `UNINITIALIZED` then.
const WITHOUT_INITIALISATION: &[&str] = &[
    "nvmlInit",
    "nvmlInit_v2",
    "nvmlInitWithFlags",
    "nvmlShutdown",
    "nvmlSystemGetNVMLVersion",
    "nvmlInternalGetExportTable",
];

fn ready(symbol: &str) -> Outcome {
    if WITHOUT_INITIALISATION.contains(&symbol) { Ok(()) } else { library::session().map(drop) }
}

macro_rules! entries {
    ($($class:ident $since:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => { $(
        if_simulated!($symbol {
            #[doc = concat!("`", stringify!($symbol), "` of the NVML documentation.")]
            ///
            /// # Safety
            /// Each pointer is null or valid as that documentation demands.
            pub unsafe extern "C" fn $symbol($($arg: $ty),*) -> nvmlReturn_t {
                let outcome = || {
                    ready(stringify!($symbol))?;
                    $(
                        // SAFETY: the caller's promise for this argument.
                        let $arg = unsafe { FromAbi::from_abi($arg) }?;
                    )*
                    calls::$symbol($($arg),*)
                };
                code(outcome())
            }
        });
    )* };
}
cuda_sys::nvml_api!(entries);

/// Every other name: never a success, whatever the arguments.
pub extern "C" fn not_simulated() -> nvmlReturn_t {
    code(ready("").and(Err(nvmlReturn_t::NOT_SUPPORTED)))
}

/// `nvmlErrorString` of the NVML documentation, the one function that returns no code.
pub extern "C" fn nvmlErrorString(result: c_int) -> *const c_char {
    calls::error_string(result).as_ptr()
}
