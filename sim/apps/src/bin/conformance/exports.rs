//! Every row of the table that this driver's version promises is exported, and `cuGetProcAddress` answers the row's
//! question with exactly that function.

use crate::calls::get;
use crate::report::Report;
use cuda_sys::{DRIVER, Row, Stream};
use sim_apps::{Failure, cuda};
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    let version = get!(cuDriverGetVersion(_))?;
    report.fact("driver version", version);
    let ask = lookup_function();
    if ask.is_none() {
        report.skip("lookups", "this driver has no cuGetProcAddress");
    }
    for row in DRIVER {
        let address = exported(row.symbol);
        let promised = i64::from(row.since) <= i64::from(version);
        if address.is_null() {
            report.check(
                row.symbol,
                !promised,
                format_args!("not exported, though introduced at {}", row.since),
            );
            continue;
        }
        if let Some(ask) = ask {
            let found = ask(row);
            report.check(
                row.symbol,
                found == address,
                format_args!("{found:?} by lookup, {address:?} exported"),
            );
        }
    }
    Ok(())
}

fn exported(symbol: &str) -> *mut c_void {
    let name = CString::new(symbol).unwrap_or_default();
    sim_apps::function(&name).unwrap_or(null_mut())
}

/// Asks the question of a row; null when there is no answer.
type Ask = fn(&Row) -> *mut c_void;

/// The newest `cuGetProcAddress` that this driver has.
fn lookup_function() -> Option<Ask> {
    if !exported("cuGetProcAddress_v2").is_null() {
        return Some(ask_second);
    }
    (!exported("cuGetProcAddress").is_null()).then_some(ask_first)
}

fn ask_first(row: &Row) -> *mut c_void {
    let (name, mut found) = (CString::new(row.query).unwrap_or_default(), null_mut());
    // SAFETY: `name` is a C string and `found` is valid for writing.
    let code = unsafe { cuda::cuGetProcAddress(name.as_ptr(), &raw mut found, since(row), flags(row)) };
    if code.is_success() { found } else { null_mut() }
}

fn ask_second(row: &Row) -> *mut c_void {
    let (name, mut found) = (CString::new(row.query).unwrap_or_default(), null_mut());
    // SAFETY: `name` is a C string and `found` is valid for writing; nobody asks for a status.
    let code = unsafe {
        cuda::cuGetProcAddress_v2(name.as_ptr(), &raw mut found, since(row), flags(row), null_mut())
    };
    if code.is_success() { found } else { null_mut() }
}

fn since(row: &Row) -> c_int {
    c_int::try_from(row.since).unwrap_or(c_int::MAX)
}

fn flags(row: &Row) -> u64 {
    match row.stream {
        Stream::Any | Stream::Legacy => 0,
        Stream::Ptds => 2,
    }
}
