//! Pools that other processes use.

use std::ffi::{c_int, c_ulonglong, c_void};
use std::os::fd::{BorrowedFd, IntoRawFd};

use cuda_sys::{CUmemAllocationHandleType as HandleType, CUmemPoolPtrExportData, CUresult};

use crate::abi::{Address, AddressOut, Handle, HandleOut, Out, Ready};
use crate::address::Home;
use crate::handles::lock;
use crate::memory::{Name, Pool};
use crate::outcome::Outcome;
use crate::process::code;

/// # Safety
///
/// `shareable` must be null or a place for a handle of the type.
pub(crate) unsafe fn cuMemPoolExportToShareableHandle(
    call: Ready,
    shareable: *mut c_void,
    pool: Handle,
    kind: HandleType,
    flags: c_ulonglong,
) -> Outcome {
    let pool = Pool::of(call.driver, pool.0)?;
    if shareable.is_null() || flags != 0 || kind != HandleType::POSIX_FILE_DESCRIPTOR || !pool.is_shareable {
        return Err(CUresult::INVALID_VALUE);
    }
    let descriptor = call.driver.client.export_pool(pool.id).map_err(code)?;
    // SAFETY: not null, so a place for a descriptor.
    unsafe { shareable.cast::<c_int>().write_unaligned(descriptor.into_raw_fd()) };
    Ok(())
}

pub(crate) fn cuMemPoolImportFromShareableHandle(
    call: Ready,
    made: HandleOut,
    shareable: *mut c_void,
    kind: HandleType,
    flags: c_ulonglong,
) -> Outcome {
    // The descriptor itself is passed instead of an address.
    let number = c_int::try_from(shareable.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    if flags != 0 || kind != HandleType::POSIX_FILE_DESCRIPTOR {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: any number but -1, which the conversion has left out, may be asked about.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let (id, index) = call.driver.client.import_pool(descriptor).map_err(code)?;
    let device = call.driver.devices.iter().find(|device| device.description.index == index);
    let device = device.ok_or(CUresult::INVALID_DEVICE)?;
    made.set(Pool::import(call.driver, device, id).handle);
    Ok(())
}

pub(crate) fn cuMemPoolExportPointer(
    call: Ready,
    data: Out<CUmemPoolPtrExportData>,
    address: Address,
) -> Outcome {
    let home = lock(&call.driver.space).starting_at(address.0).map(|found| found.home);
    let Some(Home::Pool { handle, .. }) = home else { return Err(CUresult::INVALID_VALUE) };
    let pool = Pool::of(call.driver, handle)?;
    let name = Name::give(call.driver, address.0, Some(pool.id), |found| {
        pool.is_shareable && matches!(found.home, Home::Pool { .. })
    });
    data.set(CUmemPoolPtrExportData(name?.encode()));
    Ok(())
}

/// What is imported is freed like other memory of pools.
///
/// # Safety
///
/// `data` must be null or what another process has exported.
pub(crate) unsafe fn cuMemPoolImportPointer(
    call: Ready,
    address: AddressOut,
    pool: Handle,
    data: *mut CUmemPoolPtrExportData,
) -> Outcome {
    address.require()?;
    let pool = Pool::of(call.driver, pool.0)?;
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so 64 bytes.
    let name = Name::decode(&unsafe { data.read_unaligned() }.0)?;
    if !pool.is_imported || name.pool != Some(pool.id) {
        return Err(CUresult::INVALID_VALUE);
    }
    let home = Home::Pool { handle: pool.handle, device: pool.device };
    address.set(name.open(call.driver, home, |_| Ok(()))?);
    Ok(())
}
