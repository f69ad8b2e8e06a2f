//! What `cuGetProcAddress` says of questions without an answer (measured on branches 535 and 550).

use crate::report::Report;
use cuda_sys::{CUdriverProcAddressQueryResult as Status, CUresult};
use sim_apps::{Failure, cuda};
use std::ffi::{CStr, c_int, c_void};

/// What outputs hold before a call.
const UNTOUCHED: usize = 0x5a5a_5a5a;
const UNTOUCHED_STATUS: Status = Status(77);
const SYMBOL_NOT_FOUND: Status = Status(1);
const VERSION_NOT_SUFFICIENT: Status = Status(2);

/// Questions that no version answers, with the status of the second version: a stranger; nothing; names with suffixes,
/// which are never asked for; other letters; a version before the first; a stream's form before there was one.
const UNANSWERED: [(&CStr, c_int, u64, Status); 8] = [
    (c"cuNothing", 12_000, 0, SYMBOL_NOT_FOUND),
    (c"", 12_000, 0, SYMBOL_NOT_FOUND),
    (c"cuMemAlloc_v2", 12_000, 0, SYMBOL_NOT_FOUND),
    (c"cuLaunchKernel_ptsz", 12_000, 2, SYMBOL_NOT_FOUND),
    (c"cumemalloc", 12_000, 0, SYMBOL_NOT_FOUND),
    (c"cuMemAlloc", 1999, 0, VERSION_NOT_SUFFICIENT),
    (c"cuLaunchKernel", 3999, 0, VERSION_NOT_SUFFICIENT),
    (c"cuMemcpyHtoD", 3020, 2, VERSION_NOT_SUFFICIENT),
];

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    first_version(report);
    second_version(report);
    Ok(())
}

fn first_version(report: &mut Report) {
    if sim_apps::function(c"cuGetProcAddress").is_none() {
        report.skip("first version", "this driver has none");
        return;
    }
    for (name, version, flags, _) in UNANSWERED {
        let (code, found) = ask_first(name, version, flags);
        let line = format!("first version/{} {version} {flags}", name.to_string_lossy());
        let right = code == CUresult::NOT_FOUND && found == UNTOUCHED;
        report.check(line, right, format_args!("code {}, output {found:#x}", code.0));
    }
    let (code, found) = ask_first(c"cuInit", 12_000, 4);
    let right = code == CUresult::INVALID_VALUE && found == UNTOUCHED;
    report.check("first version/unknown flag", right, format_args!("code {}, output {found:#x}", code.0));
}

fn second_version(report: &mut Report) {
    if sim_apps::function(c"cuGetProcAddress_v2").is_none() {
        report.skip("second version", "this driver has none");
        return;
    }
    for (name, version, flags, expected) in UNANSWERED {
        let (code, found, status) = ask_second(name, version, flags);
        let line = format!("second version/{} {version} {flags}", name.to_string_lossy());
        let right = code.is_success() && found == 0 && status == expected;
        report.check(line, right, format_args!("code {}, output {found:#x}, status {}", code.0, status.0));
    }
    let (code, found, status) = ask_second(c"cuInit", 12_000, 4);
    let right = code == CUresult::INVALID_VALUE && found == UNTOUCHED && status == UNTOUCHED_STATUS;
    let told = format_args!("code {}, output {found:#x}, status {}", code.0, status.0);
    report.check("second version/unknown flag", right, told);
}

fn ask_first(name: &CStr, version: c_int, flags: u64) -> (CUresult, usize) {
    let mut found = std::ptr::without_provenance_mut::<c_void>(UNTOUCHED);
    // SAFETY: `name` is a C string and `found` is valid for writing.
    let code = unsafe { cuda::cuGetProcAddress(name.as_ptr(), &raw mut found, version, flags) };
    (code, found.addr())
}

fn ask_second(name: &CStr, version: c_int, flags: u64) -> (CUresult, usize, Status) {
    let mut found = std::ptr::without_provenance_mut::<c_void>(UNTOUCHED);
    let mut status = UNTOUCHED_STATUS;
    // SAFETY: `name` is a C string, `found` and `status` are valid for writing.
    let code =
        unsafe { cuda::cuGetProcAddress_v2(name.as_ptr(), &raw mut found, version, flags, &raw mut status) };
    (code, found.addr(), status)
}
