//! Start, version, error names.

use std::ffi::{c_char, c_int, c_uint};

use cuda_sys::{CUmoduleLoadingMode, CUresult};

use crate::abi::{Any, Out, Ready};
use crate::errors::{self, Code};
use crate::outcome::Outcome;
use crate::process;
use crate::profile::Profile;

pub(crate) fn cuInit(_: Any, flags: c_uint) -> Outcome {
    process::initialize(flags)
}

pub(crate) fn cuDriverGetVersion(_: Any, version: Out<c_int>) -> Outcome {
    version.set(Profile::installed().api_version.cast_signed());
    Ok(())
}

pub(crate) fn cuGetErrorName(_: Any, error: CUresult, text: Out<*const c_char>) -> Outcome {
    describe(error, &text, |code| code.name.as_ptr())
}

pub(crate) fn cuGetErrorString(_: Any, error: CUresult, text: Out<*const c_char>) -> Outcome {
    describe(error, &text, |code| code.text.as_ptr())
}

/// An unknown code is an invalid value and has no text.
fn describe(error: CUresult, text: &Out<*const c_char>, which: fn(&Code) -> *const c_char) -> Outcome {
    let code = errors::find(error.0, Profile::installed().api_version);
    text.set(code.map_or(std::ptr::null(), which));
    code.map(|_| ()).ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn cuModuleGetLoadingMode(call: Ready, mode: Out<CUmoduleLoadingMode>) -> Outcome {
    let is_lazy = call.driver.loads_lazily;
    mode.set(if is_lazy { CUmoduleLoadingMode::LAZY_LOADING } else { CUmoduleLoadingMode::EAGER_LOADING });
    Ok(())
}
