//! What the test programs share: the driver API as an application that was not linked against it reaches it.

pub mod cuda;
pub mod driver;
mod symbol;

use std::fmt;

pub use cuda_sys::CUresult;

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
