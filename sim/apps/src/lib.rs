//! What the test programs share: the driver API and NVML as an application that was not linked against them reaches them.

mod callers;
pub mod cuda;
pub mod descriptor;
pub mod driver;
pub mod identity;
pub mod nvml;
pub mod origin;
mod say;
mod symbol;

use std::ffi::{CStr, c_void};
use std::fmt;

pub use cuda_sys::{CUevent, CUfunction, CUresult, CUstream};
pub use say::say;

/// A driver call that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The entry point.
    pub call: &'static str,
    /// What it returned.
    pub code: CUresult,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.code.0)
    }
}

impl std::error::Error for Failure {}

/// Turns a result code into a `Result`.
///
/// # Errors
/// Any code but success.
pub fn check(call: &'static str, code: CUresult) -> Result<(), Failure> {
    if code.is_success() { Ok(()) } else { Err(Failure { call, code }) }
}

/// Where the function `name` of the driver or of NVML is; `None` when it or its library is missing.
#[must_use]
pub fn function(name: &CStr) -> Option<*mut c_void> {
    let library = if name.to_bytes().starts_with(b"nvml") { &symbol::NVML } else { &symbol::CUDA };
    Some(library.look_up(name)).filter(|address| !address.is_null())
}
