//! Which device and driver there are, in text.

use crate::{Failure, check, cuda, nvml};
use cuda_sys::CUdevice;
use std::ffi::{CStr, c_char, c_int, c_uint};

const LENGTH: usize = 128;

/// The name of `device`.
///
/// # Errors
/// What the driver answers.
pub fn name(device: CUdevice) -> Result<String, Failure> {
    let mut text = [0; LENGTH];
    // SAFETY: the text has room for LENGTH bytes.
    let code = unsafe { cuda::cuDeviceGetName(text.as_mut_ptr(), capacity(), device) };
    check("cuDeviceGetName", code)?;
    Ok(read(&text))
}

/// The version of CUDA that the driver supports: 12040 is 12.4.
///
/// # Errors
/// What the driver answers.
pub fn version() -> Result<c_int, Failure> {
    let mut version = 0;
    // SAFETY: `version` is valid for writing.
    check("cuDriverGetVersion", unsafe { cuda::cuDriverGetVersion(&raw mut version) })?;
    Ok(version)
}

/// The driver's version, such as 550.163.01; `None` where there is no NVML that tells it.
#[must_use]
pub fn driver() -> Option<String> {
    let mut text = [0; LENGTH];
    // SAFETY: the call takes no arguments.
    let is_ready = unsafe { nvml::nvmlInit_v2() }.is_success();
    let length = c_uint::try_from(LENGTH).ok().filter(|_| is_ready)?;
    // SAFETY: the text has room for LENGTH bytes.
    let answer = unsafe { nvml::nvmlSystemGetDriverVersion(text.as_mut_ptr(), length) };
    answer.is_success().then(|| read(&text))
}

fn capacity() -> c_int {
    c_int::try_from(LENGTH).unwrap_or_default()
}

/// Text up to its NUL.
fn read(text: &[c_char; LENGTH]) -> String {
    let bytes = text.map(|byte| byte.to_ne_bytes()[0]);
    CStr::from_bytes_until_nul(&bytes).map(CStr::to_string_lossy).unwrap_or_default().into_owned()
}
