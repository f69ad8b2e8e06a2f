//! Devices and what is told of them.

use crate::calls::{Empty, call, empty, get, must};
use crate::report::Report;
use cuda_sys::{CUdevice, CUdevice_attribute as Attribute, CUresult, CUuuid};
use sim_apps::Failure;
use std::ffi::CStr;
use std::ptr::null_mut;

impl Empty for CUuuid {
    const EMPTY: Self = Self { bytes: [0; 16] };
}

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    must!(cuInit(0))?;
    let count = get!(cuDeviceGetCount(_))?;
    report.check("at least one device", count >= 1, count);
    wrong_calls(report, count);
    for ordinal in 0..count {
        let device = get!(cuDeviceGet(_, ordinal))?;
        identity(report, device)?;
        figures(report, device)?;
    }
    Ok(())
}

fn wrong_calls(report: &mut Report, count: i32) {
    report.expect("a count for nobody", call!(cuDeviceGetCount(null_mut())), CUresult::INVALID_VALUE);
    report.expect("a device for nobody", call!(cuDeviceGet(null_mut(), 0)), CUresult::INVALID_VALUE);
    for ordinal in [count, -1] {
        let mut device = empty();
        let code = call!(cuDeviceGet(&raw mut device, ordinal));
        report.expect(format_args!("device {ordinal}"), code, CUresult::INVALID_DEVICE);
        let mut bytes = empty();
        let code = call!(cuDeviceTotalMem_v2(&raw mut bytes, ordinal));
        report.expect(format_args!("memory of device {ordinal}"), code, CUresult::INVALID_DEVICE);
    }
    report.expect("memory for nobody", call!(cuDeviceTotalMem_v2(null_mut(), 0)), CUresult::INVALID_VALUE);
}

fn identity(report: &mut Report, device: CUdevice) -> Result<(), Failure> {
    let mut name = [1; 100];
    must!(cuDeviceGetName(name.as_mut_ptr(), 100, device))?;
    let end = name.iter().position(|&character| character == 0);
    report.check(format_args!("{device}/name"), end.is_some_and(|end| end > 0), "no text");
    let uuid = get!(cuDeviceGetUuid(_, device))?;
    report.check(format_args!("{device}/uuid"), uuid != CUuuid::EMPTY, "zeros");
    let mut address = [0; 20];
    must!(cuDeviceGetPCIBusId(address.as_mut_ptr(), 20, device))?;
    // SAFETY: the last byte of the buffer is 0 still, if not an earlier one.
    let text = unsafe { CStr::from_ptr(address.as_ptr()) }.to_string_lossy().into_owned();
    let again = get!(cuDeviceGetByPCIBusId(_, address.as_ptr()))?;
    report.check(format_args!("{device}/device at {text}"), again == device, again);
    let mut uuid_of_instance = CUuuid::EMPTY;
    if call!(cuDeviceGetUuid_v2(&raw mut uuid_of_instance, device)).is_success() {
        report.fact(format_args!("{device}/is an instance of a GPU"), uuid_of_instance != uuid);
    }
    Ok(())
}

fn figures(report: &mut Report, device: CUdevice) -> Result<(), Failure> {
    let total = get!(cuDeviceTotalMem_v2(_, device))?;
    report.check(format_args!("{device}/memory"), total > 0, total);
    report.fact(format_args!("{device}/memory"), total);
    let (mut major, mut minor) = (0, 0);
    must!(cuDeviceComputeCapability(&raw mut major, &raw mut minor, device))?;
    let attribute = |attribute| get!(cuDeviceGetAttribute(_, attribute, device));
    let same =
        (attribute(Attribute::COMPUTE_CAPABILITY_MAJOR)?, attribute(Attribute::COMPUTE_CAPABILITY_MINOR)?);
    report.check(
        format_args!("{device}/compute capability"),
        same == (major, minor),
        format_args!("{same:?}"),
    );
    let multiprocessors = attribute(Attribute::MULTIPROCESSOR_COUNT)?;
    report.check(format_args!("{device}/multiprocessors"), multiprocessors > 0, multiprocessors);
    report.check(format_args!("{device}/warp"), attribute(Attribute::WARP_SIZE)? == 32, "not 32 threads");
    let old = call!(cuDeviceTotalMem(&mut empty::<u32>(), device));
    report.fact(format_args!("{device}/code of the first cuDeviceTotalMem"), old.0);
    Ok(())
}
