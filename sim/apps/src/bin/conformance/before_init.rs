//! Before `cuInit` every entry point answers that it is too early, without looking at its arguments; some few work.

use crate::report::Report;
use cuda_sys::*;
use sim_apps::{Failure, cuda};
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use std::mem::zeroed;

/// What works without initialisation, or initialises.
const WORKING: [&str; 7] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "cuGetExportTable",
    "cuGetErrorString",
    "cuGetErrorName",
];

/// Calls an entry point with zeros and nulls.
type Call = fn() -> CUresult;

macro_rules! calls {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
        /// Every row of the table.
        const CALLS: &[(&str, Call)] = &[$((stringify!($symbol), || {
            // SAFETY: every type of the table is a number, a pointer or a structure of these, for which zeros are a value;
            // and before its initialisation the driver looks at no argument.
            unsafe { cuda::$symbol($(zeroed::<$ty>()),*) }
        })),*];
    };
}
cuda_sys::driver_api!(calls);

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    for (symbol, call) in CALLS {
        if WORKING.contains(symbol) {
            continue;
        }
        match call() {
            cuda::MISSING => report.skip(symbol, "this driver does not have it"),
            code => report.expect(symbol, code, CUresult::NOT_INITIALIZED),
        }
    }
    Ok(())
}
