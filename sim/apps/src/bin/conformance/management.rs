//! NVML: exports, start and end, and a device's memory.

use crate::report::Report;
use cuda_sys::*;
use sim_apps::{Failure, nvml};
use std::ffi::{CString, c_uint};
use std::ptr::null_mut;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    if sim_apps::function(c"nvmlInit_v2").is_none() {
        report.skip("everything", "this machine has no libnvidia-ml.so.1");
        return Ok(());
    }
    let missing =
        NVML.iter().filter(|row| sim_apps::function(&CString::new(row.symbol).unwrap_or_default()).is_none());
    report.fact("rows of the table that this driver lacks", missing.count());
    let mut count = 0;
    expect(report, "too early", devices(&mut count), nvmlReturn_t::UNINITIALIZED);
    // SAFETY: the call has no preconditions.
    expect(report, "start", unsafe { nvml::nvmlInit_v2() }, nvmlReturn_t::SUCCESS);
    // SAFETY: as above; starts are counted.
    expect(report, "start again", unsafe { nvml::nvmlInit_v2() }, nvmlReturn_t::SUCCESS);
    expect(report, "count", devices(&mut count), nvmlReturn_t::SUCCESS);
    report.check("at least one device", count > 0, count);
    for index in 0..count {
        device(report, index);
    }
    let mut nobody = nvmlDevice_t(null_mut());
    // SAFETY: `nobody` is valid for writing.
    let code = unsafe { nvml::nvmlDeviceGetHandleByIndex_v2(count, &raw mut nobody) };
    expect(report, "a device too many", code, nvmlReturn_t::INVALID_ARGUMENT);
    for name in ["end", "end again"] {
        // SAFETY: pairs with a start.
        expect(report, name, unsafe { nvml::nvmlShutdown() }, nvmlReturn_t::SUCCESS);
    }
    expect(report, "too late", devices(&mut count), nvmlReturn_t::UNINITIALIZED);
    Ok(())
}

fn expect(report: &mut Report, name: &str, code: nvmlReturn_t, expected: nvmlReturn_t) {
    report.check(name, code == expected, format_args!("{} instead of {}", code.0, expected.0));
}

fn devices(count: &mut c_uint) -> nvmlReturn_t {
    // SAFETY: `count` is valid for writing.
    unsafe { nvml::nvmlDeviceGetCount_v2(count) }
}

fn device(report: &mut Report, index: c_uint) {
    let mut device = nvmlDevice_t(null_mut());
    // SAFETY: `device` is valid for writing.
    let code = unsafe { nvml::nvmlDeviceGetHandleByIndex_v2(index, &raw mut device) };
    expect(report, &format!("{index}/handle"), code, nvmlReturn_t::SUCCESS);
    let mut text = [0; 96];
    // SAFETY: the buffer is valid for 96 bytes.
    let code = unsafe { nvml::nvmlDeviceGetUUID(device, text.as_mut_ptr(), 96) };
    expect(report, &format!("{index}/uuid"), code, nvmlReturn_t::SUCCESS);
    let mut again = nvmlDevice_t(null_mut());
    // SAFETY: NVML has terminated the text; `again` is valid for writing.
    let code = unsafe { nvml::nvmlDeviceGetHandleByUUID(text.as_ptr(), &raw mut again) };
    let is_right = code.is_success() && again == device;
    report.check(format_args!("{index}/handle by uuid"), is_right, format_args!("code {}", code.0));
    memory(report, index, device);
}

fn memory(report: &mut Report, index: c_uint, device: nvmlDevice_t) {
    let mut first = nvmlMemory_t::default();
    // SAFETY: `first` is valid for writing.
    let code = unsafe { nvml::nvmlDeviceGetMemoryInfo(device, &raw mut first) };
    let is_right = code.is_success() && first.used + first.free == first.total;
    report.check(format_args!("{index}/memory"), is_right, format_args!("code {}, {first:?}", code.0));
    // SAFETY: NVML checks for null.
    let code = unsafe { nvml::nvmlDeviceGetMemoryInfo(device, null_mut()) };
    expect(report, &format!("{index}/memory for nobody"), code, nvmlReturn_t::INVALID_ARGUMENT);
    let mut second = nvmlMemory_v2_t { version: SECOND, ..Default::default() };
    // SAFETY: `second` is valid for writing, and says which version it is.
    let code = unsafe { nvml::nvmlDeviceGetMemoryInfo_v2(device, &raw mut second) };
    if code == nvmlReturn_t::FUNCTION_NOT_FOUND {
        report.skip(format_args!("{index}/second memory"), "this driver has none");
        return;
    }
    let is_right = code.is_success() && second.total == first.total;
    report.check(
        format_args!("{index}/second memory"),
        is_right,
        format_args!("code {}, {second:?}", code.0),
    );
    let second_used = format!("{} reserved {}", second.used, second.reserved);
    report.fact(format_args!("{index}/used"), format_args!("{}; second version {second_used}", first.used));
    second.version = 77;
    // SAFETY: as above; the version is one that there is not.
    let code = unsafe { nvml::nvmlDeviceGetMemoryInfo_v2(device, &raw mut second) };
    expect(
        report,
        &format!("{index}/second memory, wrong version"),
        code,
        nvmlReturn_t::ARGUMENT_VERSION_MISMATCH,
    );
}

/// The version of `nvmlMemory_v2_t`: its size, and a 2 above.
const SECOND: c_uint = 0x0200_0028;
