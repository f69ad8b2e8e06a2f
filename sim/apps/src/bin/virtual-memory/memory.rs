//! The calls that all habits make.

use cuda_sys::{
    CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType as HandleType,
    CUmemAllocationProp, CUmemAllocationPropFlags, CUmemAllocationType, CUmemLocation, CUmemLocationType,
};
use sim_apps::{CUresult, Failure, check, cuda};
use std::fmt;
use std::io;
use std::ptr::null_mut;

/// Why a habit ended.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// A call failed.
    Call(Failure),
    /// The system did not do its part.
    System(io::Error),
    /// Memory did not hold what had been written.
    Contents(CUdeviceptr),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Call(failure)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(failure) => failure.fmt(f),
            Self::System(error) => error.fmt(f),
            Self::Contents(address) => write!(f, "other bytes at {address:#x} than were written there"),
        }
    }
}

const DEVICE: CUmemLocation = CUmemLocation { kind: CUmemLocationType::DEVICE, id: 0 };

/// Reserves addresses.
pub(crate) fn reserve(bytes: usize) -> Result<CUdeviceptr, Failure> {
    let mut address = 0;
    // SAFETY: `address` is valid for writing.
    let code = unsafe { cuda::cuMemAddressReserve(&raw mut address, bytes, 0, 0, 0) };
    check("cuMemAddressReserve", code).map(|()| address)
}

/// Gives addresses back.
pub(crate) fn unreserve(address: CUdeviceptr, bytes: usize) -> Result<(), Failure> {
    // SAFETY: the driver checks the range.
    check("cuMemAddressFree", unsafe { cuda::cuMemAddressFree(address, bytes) })
}

/// Creates physical memory of the first device, which can be exported so.
pub(crate) fn create(bytes: usize, types: HandleType) -> Result<u64, Failure> {
    let properties = CUmemAllocationProp {
        kind: CUmemAllocationType::PINNED,
        requestedHandleTypes: types,
        location: DEVICE,
        win32HandleMetaData: null_mut(),
        allocFlags: CUmemAllocationPropFlags::default(),
    };
    let mut handle = 0;
    // SAFETY: `handle` is valid for writing, the properties for reading.
    let code = unsafe { cuda::cuMemCreate(&raw mut handle, bytes, &raw const properties, 0) };
    check("cuMemCreate", code).map(|()| handle)
}

/// The same; `None` when there is no room, which is the one answer that programs expect.
pub(crate) fn create_if_there_is_room(bytes: usize) -> Result<Option<u64>, Failure> {
    match create(bytes, HandleType::NONE) {
        Ok(handle) => Ok(Some(handle)),
        Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Maps memory and lets the first device use it.
pub(crate) fn map(address: CUdeviceptr, bytes: usize, handle: u64) -> Result<(), Failure> {
    // SAFETY: the driver checks handle and range.
    check("cuMemMap", unsafe { cuda::cuMemMap(address, bytes, 0, handle, 0) })?;
    let access = CUmemAccessDesc { location: DEVICE, flags: CUmemAccess_flags::PROT_READWRITE };
    // SAFETY: one description, valid for reading.
    let code = unsafe { cuda::cuMemSetAccess(address, bytes, &raw const access, 1) };
    check("cuMemSetAccess", code)
}

/// Undoes mappings.
pub(crate) fn unmap(address: CUdeviceptr, bytes: usize) -> Result<(), Failure> {
    // SAFETY: the driver checks the range.
    check("cuMemUnmap", unsafe { cuda::cuMemUnmap(address, bytes) })
}

/// Releases a handle.
pub(crate) fn release(handle: u64) -> Result<(), Failure> {
    // SAFETY: the driver checks the handle.
    check("cuMemRelease", unsafe { cuda::cuMemRelease(handle) })
}

/// Fills memory.
pub(crate) fn fill(address: CUdeviceptr, byte: u8, bytes: usize) -> Result<(), Failure> {
    // SAFETY: the driver checks the range.
    check("cuMemsetD8", unsafe { cuda::cuMemsetD8_v2(address, byte, bytes) })
}

/// Whether memory holds this byte at its beginning and at its end.
pub(crate) fn expect(address: CUdeviceptr, byte: u8, bytes: usize) -> Result<(), Trouble> {
    for at in [address, address + bytes as u64 - 1] {
        let mut found = [!byte];
        // SAFETY: `found` is valid for writing a byte.
        let code = unsafe { cuda::cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), at, 1) };
        check("cuMemcpyDtoH", code)?;
        if found != [byte] {
            return Err(Trouble::Contents(at));
        }
    }
    Ok(())
}
