//! Asks both versions of `cuGetProcAddress` for every name of the table, around every version at which an answer changes
//! and with every flag, and prints each answer as a line:
//!
//! `name version flags: code status object:symbol`, with `untouched` for an output that was not written.

use cuda_sys::{CUdriverProcAddressQueryResult, DRIVER};
use sim_apps::cuda;
use sim_apps::origin::Origin;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_int, c_void};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

/// The legacy default stream said in two ways, the per-thread one in two, and a bit that means nothing.
const FLAGS: [u64; 5] = [0, 1, 2, 3, 4];

/// Names that are no queries.
const STRANGERS: [&str; 4] = ["", "cuNothing", "cuMemAlloc_v2", "cuLaunchKernel_ptsz"];

/// What outputs hold before a call.
const UNTOUCHED: usize = 0x5a5a_5a5a;

fn main() -> ExitCode {
    let mut lines = String::new();
    for (name, versions) in questions() {
        for version in versions {
            for flags in FLAGS {
                // A string can always be written to.
                let _ = writeln!(lines, "{name} {version} {flags}: {}", ask_first(name, version, flags));
                let _ = writeln!(lines, "{name} {version} {flags}: {}", ask_second(name, version, flags));
            }
        }
    }
    if std::io::stdout().write_all(lines.as_bytes()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every name with the versions to ask it for.
fn questions() -> BTreeMap<&'static str, BTreeSet<c_int>> {
    let mut questions: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for row in DRIVER {
        let since = c_int::try_from(row.since).unwrap_or(c_int::MAX);
        questions.entry(row.query).or_default().extend([since - 1, since, 99_999, -1]);
    }
    for name in STRANGERS {
        questions.insert(name, BTreeSet::from([12_000]));
    }
    questions
}

fn ask_first(name: &str, version: c_int, flags: u64) -> String {
    let Ok(name) = CString::new(name) else { return String::new() };
    let mut function = std::ptr::without_provenance_mut::<c_void>(UNTOUCHED);
    // SAFETY: `name` is a C string and `function` is valid for writing.
    let code = unsafe { cuda::cuGetProcAddress(name.as_ptr(), &raw mut function, version, flags) };
    format!("{} {}", code.0, origin(function))
}

fn ask_second(name: &str, version: c_int, flags: u64) -> String {
    let Ok(name) = CString::new(name) else { return String::new() };
    let mut function = std::ptr::without_provenance_mut::<c_void>(UNTOUCHED);
    let mut status = CUdriverProcAddressQueryResult(77);
    // SAFETY: `name` is a C string, `function` and `status` are valid for writing.
    let code = unsafe {
        cuda::cuGetProcAddress_v2(name.as_ptr(), &raw mut function, version, flags, &raw mut status)
    };
    let mut unasked = std::ptr::without_provenance_mut::<c_void>(UNTOUCHED);
    // SAFETY: as above; the status may be null.
    let again = unsafe {
        cuda::cuGetProcAddress_v2(name.as_ptr(), &raw mut unasked, version, flags, std::ptr::null_mut())
    };
    let same = if (again, unasked) == (code, function) { "" } else { " another without a status" };
    format!("{} {} {}{same}", code.0, status.0, origin(function))
}

fn origin(function: *mut c_void) -> String {
    match function.addr() {
        0 => "null".into(),
        UNTOUCHED => "untouched".into(),
        address => Origin::of(address).map_or_else(|| "nowhere".into(), |origin| origin.to_string()),
    }
}
