//! Descriptions of return codes, as the real libraries give them.

use std::ffi::{CStr, c_int};

use crate::branch::selected;

/// By code, from 0.
const DESCRIPTIONS: &[&CStr] = &[
    c"Success",
    c"Uninitialized",
    c"Invalid Argument",
    c"Not Supported",
    c"Insufficient Permissions",
    c"Already Initialized",
    c"Not Found",
    c"Insufficient Size",
    c"Insufficient External Power",
    c"Driver Not Loaded",
    c"Timeout",
    c"Interrupt Request Issue",
    c"NVML Shared Library Not Found",
    c"Function Not Found",
    c"Corrupted infoROM",
    c"GPU is lost",
    c"GPU requires reset",
    c"GPU access blocked by the operating system",
    c"Driver/library version mismatch",
    c"In use by another client",
    c"Insufficient Memory",
    c"No data",
    c"vGPU ECC not supported",
    c"Insufficient Resources",
    c"Invalid Frequency",
    c"Argument version mismatch",
    c"Requested functionality has been deprecated",
    c"System is not in ready state",
    c"No supported GPUs were found",
    c"Resource not in correct state to perform requested operation",
];

/// The description of a code, as far as this branch knows it.
pub(crate) fn error_string(code: c_int) -> &'static CStr {
    let known = u32::try_from(code).ok().filter(|code| *code < selected().first_unknown_error);
    known.and_then(|code| DESCRIPTIONS.get(usize::try_from(code).ok()?).copied()).unwrap_or(c"Unknown Error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_without_a_description_is_an_unknown_error() {
        assert_eq!(error_string(7), c"Insufficient Size");
        for code in [30, 999, -1, c_int::MAX] {
            assert_eq!(error_string(code), c"Unknown Error", "{code}");
        }
    }
}
