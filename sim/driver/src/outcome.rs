//! Results inside the driver.

use cuda_sys::CUresult;

/// What an operation of the driver gives, or the code its caller gets instead.
pub(crate) type Outcome<T = ()> = Result<T, CUresult>;

/// The code that the C caller gets.
pub(crate) fn code(outcome: Outcome) -> CUresult {
    match outcome {
        Ok(()) => CUresult::SUCCESS,
        Err(code) => code,
    }
}
