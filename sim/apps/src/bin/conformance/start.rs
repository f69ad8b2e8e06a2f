//! Initialisation, version and the names of errors.

use crate::calls::{call, empty, get, must};
use crate::report::Report;
use cuda_sys::CUresult;
use sim_apps::Failure;
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

/// Codes with their names in `cuda.h`.
const NAMES: [(u32, &CStr); 8] = [
    (0, c"CUDA_SUCCESS"),
    (1, c"CUDA_ERROR_INVALID_VALUE"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED"),
    (100, c"CUDA_ERROR_NO_DEVICE"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY"),
    (999, c"CUDA_ERROR_UNKNOWN"),
];

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    errors(report);
    report.expect("cuInit with a flag", call!(cuInit(1)), CUresult::INVALID_VALUE);
    must!(cuInit(0))?;
    report.expect("cuInit again", call!(cuInit(0)), CUresult::SUCCESS);
    let version = get!(cuDriverGetVersion(_))?;
    report.check("a version of the API", (9000..1_000_000).contains(&version), version);
    report.expect("a version for nobody", call!(cuDriverGetVersion(null_mut())), CUresult::INVALID_VALUE);
    Ok(())
}

fn errors(report: &mut Report) {
    for (number, name) in NAMES {
        let (mut found, mut text) = (empty(), empty());
        let code = call!(cuGetErrorName(CUresult(number), &raw mut found));
        // SAFETY: the driver's names are C strings that are never freed.
        let is_right = code.is_success() && unsafe { CStr::from_ptr(found) } == name;
        report.check(format_args!("name of {number}"), is_right, format_args!("code {}", code.0));
        let code = call!(cuGetErrorString(CUresult(number), &raw mut text));
        let is_right = code.is_success() && !text.is_null();
        report.check(format_args!("text of {number}"), is_right, format_args!("code {}", code.0));
    }
    let mut name: *const c_char = c"before".as_ptr();
    let code = call!(cuGetErrorName(CUresult(123_456), &raw mut name));
    let is_right = code == CUresult::INVALID_VALUE && name.is_null();
    report.check("name of no error", is_right, format_args!("code {}, {name:?}", code.0));
}
