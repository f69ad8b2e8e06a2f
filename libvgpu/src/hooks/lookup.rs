//! `cuGetProcAddress`: the driver decides what a name means for a version and a default stream, and we recognise its
//! answer by its address. Every pointer the driver hands out this way is that of an exported symbol.

use crate::abi::driver::{LIBRARY, real};
use crate::abi::gaps;
use cuda_sys::*;

pub(crate) unsafe fn cuGetProcAddress(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    cuda_version: c_int,
    flags: cuuint64_t,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGetProcAddress(symbol, pfn, cuda_version, flags) };
    // SAFETY: the driver accepted `pfn`.
    unsafe { replace(result, symbol, pfn) }
}

pub(crate) unsafe fn cuGetProcAddress_v2(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    cuda_version: c_int,
    flags: cuuint64_t,
    status: *mut CUdriverProcAddressQueryResult,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGetProcAddress_v2(symbol, pfn, cuda_version, flags, status) };
    // SAFETY: the driver accepted `pfn`.
    unsafe { replace(result, symbol, pfn) }
}

/// # Safety
/// If `result` is success, `symbol` must be a name that the driver has just read, and `pfn` null or what it has just
/// written to.
unsafe fn replace(result: CUresult, symbol: *const c_char, pfn: *mut *mut c_void) -> CUresult {
    if !result.is_success() || pfn.is_null() {
        return result;
    }
    // SAFETY: promised by the caller.
    let address = unsafe { &mut *pfn };
    match LIBRARY.hook_of(*address) {
        Some(hook) => *address = hook,
        None if address.is_null() => {}
        // SAFETY: promised by the caller.
        None => unsafe { gaps::note_query(&LIBRARY, symbol) },
    }
    result
}
