//! Linear, pitched and managed memory: charged before the driver is asked, given back after it has freed.

use crate::abi::driver::real;
use crate::state::{Site, slice};
use contract::Bytes;
use cuda_sys::*;
use shared_region::MemoryClass;

pub(crate) unsafe fn cuMemAlloc(dptr: *mut CUdeviceptr_v1, bytesize: c_uint) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAlloc(dptr, bytesize) };
    // SAFETY: the driver has written to `dptr`.
    let address = || u64::from(unsafe { *dptr });
    charged(MemoryClass::Linear, Bytes(u64::from(bytesize)), dptr.is_null(), call, address)
}

pub(crate) unsafe fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAlloc_v2(dptr, bytesize) };
    // SAFETY: the driver has written to `dptr`.
    charged(MemoryClass::Linear, Bytes(bytesize as u64), dptr.is_null(), call, || unsafe { *dptr })
}

/// Charged in full when allocated: its pages may all become resident.
pub(crate) unsafe fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemAllocManaged(dptr, bytesize, flags) };
    // SAFETY: the driver has written to `dptr`.
    charged(MemoryClass::Managed, Bytes(bytesize as u64), dptr.is_null(), call, || unsafe { *dptr })
}

pub(crate) unsafe fn cuMemFree(dptr: CUdeviceptr_v1) -> CUresult {
    // SAFETY: the application's own argument.
    released(u64::from(dptr), || unsafe { real::cuMemFree(dptr) })
}

pub(crate) unsafe fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult {
    // SAFETY: the application's own argument.
    released(dptr, || unsafe { real::cuMemFree_v2(dptr) })
}

/// Reserves `bytes`, calls the driver and records the address it returned. Arguments that it is going to reject
/// anyway go to it as they are.
fn charged(
    class: MemoryClass,
    bytes: Bytes,
    rejected: bool,
    call: impl Fn() -> CUresult,
    address: impl FnOnce() -> CUdeviceptr,
) -> CUresult {
    if bytes == Bytes::ZERO || rejected {
        return call();
    }
    let site = match Site::current() {
        Ok(Some(site)) => site,
        Ok(None) => return call(),
        Err(code) => return code,
    };
    let reservation = match site.reserve(class, bytes) {
        Ok(reservation) => reservation,
        Err(code) => return code,
    };
    let result = reservation.allocate(call);
    if result.is_success() {
        site.record(address(), reservation);
    }
    result
}

/// Has the driver free `address`, and what was charged for that given back.
fn released(address: CUdeviceptr, call: impl FnOnce() -> CUresult) -> CUresult {
    match slice().map(|slice| slice.and_then(|slice| slice.member_if_joined())) {
        Ok(Some(member)) => {
            let result = member.free(address, call);
            // The driver has waited for the device, and its pools for that.
            member.follow_pools();
            result
        }
        _ => call(),
    }
}
