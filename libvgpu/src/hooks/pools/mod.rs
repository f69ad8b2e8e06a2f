//! Stream-ordered memory. Not an allocation is charged but what the pool takes from its device for it, and what the pool
//! keeps after the free stays charged.

mod allocation;

use crate::abi::driver::real;
use crate::state::{Place, Pool, Site, current_pool, of_location, slice};
use crate::stream::{Stream, in_context_of};
use allocation::Request;
use contract::Bytes;
use cuda_sys::*;
use std::sync::Arc;

pub(crate) unsafe fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAllocAsync(dptr, bytesize, stream) };
    // SAFETY: as above.
    unsafe { allocated(None, Stream::legacy(stream), dptr, bytesize, call) }
}

pub(crate) unsafe fn cuMemAllocAsync_ptsz(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAllocAsync_ptsz(dptr, bytesize, stream) };
    // SAFETY: as above.
    unsafe { allocated(None, Stream::per_thread(stream), dptr, bytesize, call) }
}

pub(crate) unsafe fn cuMemAllocFromPoolAsync(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAllocFromPoolAsync(dptr, bytesize, pool, stream) };
    // SAFETY: as above.
    unsafe { allocated(Some(pool), Stream::legacy(stream), dptr, bytesize, call) }
}

pub(crate) unsafe fn cuMemAllocFromPoolAsync_ptsz(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAllocFromPoolAsync_ptsz(dptr, bytesize, pool, stream) };
    // SAFETY: as above.
    unsafe { allocated(Some(pool), Stream::per_thread(stream), dptr, bytesize, call) }
}

pub(crate) unsafe fn cuMemFreeAsync(dptr: CUdeviceptr, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    freed(Stream::legacy(stream), dptr, || unsafe { real::cuMemFreeAsync(dptr, stream) })
}

pub(crate) unsafe fn cuMemFreeAsync_ptsz(dptr: CUdeviceptr, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    freed(Stream::per_thread(stream), dptr, || unsafe { real::cuMemFreeAsync_ptsz(dptr, stream) })
}

/// Takes no memory, but what the pool takes later is its device's.
pub(crate) unsafe fn cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemPoolCreate(pool, props) };
    if !result.is_success() || pool.is_null() {
        return result;
    }
    // SAFETY: the driver has accepted the properties, so they are there.
    let device = unsafe { props.as_ref() }.and_then(|props| of_location(props.location));
    let place = device.and_then(|device| Place::on(device).ok().flatten());
    if let Some(member) = slice().ok().flatten().and_then(|slice| slice.member()) {
        // SAFETY: the driver has written the new handle there.
        member.pool_created(unsafe { *pool }, place.map(|place| place.device));
    }
    result
}

/// What is still in use stays charged until it is freed.
pub(crate) unsafe fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult {
    // SAFETY: the application's own argument.
    let call = || unsafe { real::cuMemPoolDestroy(pool) };
    match slice().ok().flatten().and_then(|slice| slice.member_if_joined()) {
        Some(member) => member.destroy_pool(pool, call),
        None => call(),
    }
}

pub(crate) unsafe fn cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMemPoolTrimTo(pool, keep) };
    if let Some(member) = slice().ok().flatten().and_then(|slice| slice.member_if_joined()) {
        member.follow_pools();
    }
    result
}

/// Allocates from `pool`, or from the pool of the stream's device.
///
/// # Safety
/// `dptr` must be what `call` has the driver write to.
unsafe fn allocated(
    pool: Option<CUmemoryPool>,
    stream: Stream,
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    call: impl Fn() -> CUresult,
) -> CUresult {
    if bytesize == 0 || dptr.is_null() {
        return call();
    }
    let (site, pool) = match in_context_of(stream, || found(pool)) {
        // During a capture this makes a node of a graph, and no pool has a part in it.
        Ok(Some(found)) if !stream.is_capturing() => found,
        Ok(_) => return call(),
        Err(code) => return code,
    };
    let place = Place { member: site.member, device: pool.device() };
    // SAFETY: promised by the caller.
    unsafe { Request { place, bytes: Bytes(bytesize as u64), stream, dptr, call }.charged_to(&pool) }
}

/// Where the current context allocates, and the pool. `Ok(None)`: nothing is charged.
fn found(pool: Option<CUmemoryPool>) -> Result<Option<(Site, Arc<Pool>)>, CUresult> {
    let Some(site) = Site::current()? else { return Ok(None) };
    let Some(handle) = pool.or_else(current_pool) else { return Ok(None) };
    Ok(site.member.pool(handle).map(|pool| (site, pool)))
}

/// What is charged for linear memory is given back; what a pool keeps, it keeps. During a capture nothing is freed.
fn freed(stream: Stream, address: CUdeviceptr, call: impl FnOnce() -> CUresult) -> CUresult {
    match slice().ok().flatten().and_then(|slice| slice.member_if_joined()) {
        Some(member) if !stream.is_capturing() => member.free(address, call),
        _ => call(),
    }
}
