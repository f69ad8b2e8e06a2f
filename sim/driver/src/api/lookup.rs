//! Symbol lookup.

use std::ffi::{c_int, c_void};

use cuda_sys::{CUdriverProcAddressQueryResult as Status, CUresult, CUuuid};

use crate::abi::{Any, Given, MaybeOut, Out, Text};
use crate::outcome::Outcome;
use crate::profile::{Lookup, Profile};
use crate::trace;

/// A null name, at which the real driver faults, is an invalid value here.
fn look_up(name: &str, version: c_int, flags: u64) -> Outcome<Lookup> {
    let version = version.cast_unsigned();
    let answer = Profile::installed().look_up(name, version, flags);
    trace::lookup(name, version, flags, answer);
    answer.ok_or(CUresult::INVALID_VALUE)
}

fn address(lookup: Lookup) -> Option<*mut c_void> {
    match lookup {
        Lookup::Found(answer) => Some(answer.address as *mut c_void),
        Lookup::SymbolNotFound | Lookup::VersionNotSufficient => None,
    }
}

/// Tells a name or version that is not found by its result, and leaves the output alone.
pub(crate) fn cuGetProcAddress(
    _: Any,
    symbol: Text,
    function: Out<*mut c_void>,
    version: c_int,
    flags: u64,
) -> Outcome {
    let found = address(look_up(&symbol.0, version, flags)?);
    function.set(found.ok_or(CUresult::NOT_FOUND)?);
    Ok(())
}

/// Succeeds also for a name or version that is not found: the output is null then, and the status says why.
pub(crate) fn cuGetProcAddress_v2(
    _: Any,
    symbol: Text,
    function: Out<*mut c_void>,
    version: c_int,
    flags: u64,
    status: MaybeOut<Status>,
) -> Outcome {
    let lookup = look_up(&symbol.0, version, flags)?;
    function.set(address(lookup).unwrap_or_default());
    status.set(match lookup {
        Lookup::Found(_) => Status::SUCCESS,
        Lookup::SymbolNotFound => Status::SYMBOL_NOT_FOUND,
        Lookup::VersionNotSufficient => Status::VERSION_NOT_SUFFICIENT,
    });
    Ok(())
}

/// No table is known: those of the real driver serve libraries that verify it, which this driver does not pretend to
/// be.
pub(crate) fn cuGetExportTable(_: Any, _table: Out<*const c_void>, _id: Given<CUuuid>) -> Outcome {
    Err(CUresult::INVALID_VALUE)
}
