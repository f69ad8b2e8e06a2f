//! Limits of a context: stacks, the heap of kernels and the buffer for what they print are memory of the device. What they
//! grow by can be told beforehand, so it must fit; what they really take is seen afterwards.

use crate::abi::driver::real;
use crate::state::{Site, around, slice};
use contract::Bytes;
use cuda_sys::*;
use shared_region::MemoryClass;

pub(crate) unsafe fn cuCtxSetLimit(limit: CUlimit, value: usize) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuCtxSetLimit(limit, value) };
    let site = match Site::current() {
        Ok(Some(site)) => site,
        Ok(None) => return call(),
        Err(code) => return code,
    };
    // What is taken is charged as it is seen, now or with the module or launch that makes the driver take it. Who lowers a
    // limit gives back, also while the slice is over its own.
    let room = || growth(limit, value).map(|bytes| site.reserve(MemoryClass::Observed, bytes)).transpose();
    let result = around(site.place(), || match room() {
        Ok(_room) => call(),
        Err(code) => code,
    });
    if let Some(slice) = slice().ok().flatten().filter(|_| result.is_success()) {
        slice.observe_all();
    }
    result
}

/// What the current context may take more when `limit` is set to `value`; `None` where that is no more than it is.
fn growth(limit: CUlimit, value: usize) -> Option<Bytes> {
    let more = (value as u64).saturating_sub(current(limit));
    match limit {
        _ if more == 0 => None,
        CUlimit::STACK_SIZE => Some(Bytes(more.saturating_mul(threads()))),
        CUlimit::PRINTF_FIFO_SIZE | CUlimit::MALLOC_HEAP_SIZE => Some(Bytes(more)),
        _ => Some(Bytes::ZERO),
    }
}

/// What `limit` is now. One that the driver does not tell it is not going to set.
fn current(limit: CUlimit) -> u64 {
    let mut value = 0;
    // SAFETY: `value` is valid for writing.
    let told = unsafe { real::cuCtxGetLimit(&raw mut value, limit) };
    if told.is_success() { value as u64 } else { u64::MAX }
}

/// Threads that the current context's device can run at once, each with a stack of its own.
fn threads() -> u64 {
    let attributes =
        [CUdevice_attribute::MULTIPROCESSOR_COUNT, CUdevice_attribute::MAX_THREADS_PER_MULTIPROCESSOR];
    attributes.into_iter().map(attribute).product()
}

/// A number that the driver tells of the current context's device; 0 if it does not.
fn attribute(attribute: CUdevice_attribute) -> u64 {
    let (mut device, mut value) = (0, 0);
    // SAFETY: `device` is valid for writing.
    let found = unsafe { real::cuCtxGetDevice(&raw mut device) };
    // SAFETY: `value` is valid for writing.
    let told = unsafe { real::cuDeviceGetAttribute(&raw mut value, attribute, device) };
    if found.is_success() && told.is_success() { u64::try_from(value).unwrap_or(0) } else { 0 }
}
