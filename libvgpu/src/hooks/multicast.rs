//! Multicast objects: they take no memory of a device that is worth counting, but keep physical memory that is bound to them.

#![allow(clippy::too_many_arguments, reason = "the parameters are the driver's")]

use crate::abi::driver::real;
use crate::state::{Member, slice};
use cuda_sys::*;
use tracker::{Physical, PieceId};

pub(crate) unsafe fn cuMulticastCreate(
    object: *mut CUmemGenericAllocationHandle,
    prop: *const CUmulticastObjectProp,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuMulticastCreate(object, prop) };
    if let Some(member) = member().filter(|_| result.is_success()) {
        // SAFETY: the driver has written the handle there.
        member.physical.lock().create_multicast(unsafe { *object });
    }
    result
}

pub(crate) unsafe fn cuMulticastBindMem(
    object: CUmemGenericAllocationHandle,
    offset: usize,
    memory: CUmemGenericAllocationHandle,
    memory_offset: usize,
    size: usize,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMulticastBindMem(object, offset, memory, memory_offset, size, flags) };
    bound(object, None, offset, |physical| physical.find(memory), call)
}

pub(crate) unsafe fn cuMulticastBindMem_v2(
    object: CUmemGenericAllocationHandle,
    dev: CUdevice,
    offset: usize,
    memory: CUmemGenericAllocationHandle,
    memory_offset: usize,
    size: usize,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call =
        || unsafe { real::cuMulticastBindMem_v2(object, dev, offset, memory, memory_offset, size, flags) };
    bound(object, Some(dev), offset, |physical| physical.find(memory), call)
}

pub(crate) unsafe fn cuMulticastBindAddr(
    object: CUmemGenericAllocationHandle,
    offset: usize,
    address: CUdeviceptr,
    size: usize,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMulticastBindAddr(object, offset, address, size, flags) };
    bound(object, None, offset, |physical| physical.mapped_at(address), call)
}

pub(crate) unsafe fn cuMulticastBindAddr_v2(
    object: CUmemGenericAllocationHandle,
    dev: CUdevice,
    offset: usize,
    address: CUdeviceptr,
    size: usize,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMulticastBindAddr_v2(object, dev, offset, address, size, flags) };
    bound(object, Some(dev), offset, |physical| physical.mapped_at(address), call)
}

pub(crate) unsafe fn cuMulticastUnbind(
    object: CUmemGenericAllocationHandle,
    dev: CUdevice,
    offset: usize,
    size: usize,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMulticastUnbind(object, dev, offset, size) };
    let Some(member) = member() else { return call() };
    let known = member.physical.lock().find(object);
    let Some(id) = known else { return call() };
    member.let_go(call, |result, physical| {
        if result.is_success() { physical.unbound(id, dev, offset as u64, size as u64) } else { Vec::new() }
    })
}

/// Has the driver bind memory, which `find` knows before, to an object.
fn bound(
    object: CUmemGenericAllocationHandle,
    dev: Option<CUdevice>,
    offset: usize,
    find: impl FnOnce(&Physical) -> Option<PieceId>,
    call: impl FnOnce() -> CUresult,
) -> CUresult {
    let Some(member) = member() else { return call() };
    let found = {
        let physical = member.physical.lock();
        physical.find(object).zip(find(&physical))
    };
    let result = call();
    if let Some((object, id)) = found.filter(|_| result.is_success()) {
        member.physical.lock().bind(object, dev, offset as u64, id);
    }
    result
}

fn member() -> Option<&'static Member> {
    slice().ok().flatten().and_then(|slice| slice.member_if_joined())
}
