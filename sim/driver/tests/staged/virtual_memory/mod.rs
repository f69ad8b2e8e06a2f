//! Address ranges and the physical memory that is mapped there.

use std::ffi::{c_int, c_void};
use std::ptr::{from_mut, null_mut};

use cuda_sys::{
    CUmemAccess_flags as Access, CUmemAccessDesc, CUmemAllocationHandleType as HandleType,
    CUmemAllocationProp, CUmemAllocationPropFlags, CUmemAllocationType, CUmemLocation,
    CUmemLocationType as LocationType, CUpointer_attribute as Attribute, CUresult,
};

use crate::cuda::{call, get};
use crate::scene::Scene;

mod physical;
mod ranges;

const MIB: usize = 1 << 20;
const CHUNK: usize = 2 * MIB;
const INVALID: CUresult = CUresult::INVALID_VALUE;
const FINE: CUresult = CUresult::SUCCESS;

fn at(kind: LocationType, id: i32) -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: CUmemAllocationType::PINNED,
        requestedHandleTypes: HandleType::NONE,
        location: CUmemLocation { kind, id },
        win32HandleMetaData: null_mut(),
        allocFlags: CUmemAllocationPropFlags::default(),
    }
}

/// Pinned memory of a device that nobody else can get hold of.
pub(crate) fn on_device(id: i32) -> CUmemAllocationProp {
    at(LocationType::DEVICE, id)
}

fn shareable() -> CUmemAllocationProp {
    CUmemAllocationProp { requestedHandleTypes: HandleType::POSIX_FILE_DESCRIPTOR, ..on_device(0) }
}

impl Scene {
    fn create(&self, bytes: usize, properties: CUmemAllocationProp) -> u64 {
        get!(self.cuda, cuMemCreate(_, bytes, &raw const properties, 0))
    }

    fn reserve(&self, bytes: usize) -> u64 {
        get!(self.cuda, cuMemAddressReserve(_, bytes, 0, 0, 0))
    }

    fn map(&self, address: u64, bytes: usize, handle: u64) -> CUresult {
        call!(self.cuda, cuMemMap(address, bytes, 0, handle, 0))
    }

    fn unmap(&self, address: u64, bytes: usize) -> CUresult {
        call!(self.cuda, cuMemUnmap(address, bytes))
    }

    fn release(&self, handle: u64) -> CUresult {
        call!(self.cuda, cuMemRelease(handle))
    }

    fn allow(&self, address: u64, bytes: usize, location: CUmemLocation, flags: Access) -> CUresult {
        let wanted = CUmemAccessDesc { location, flags };
        call!(self.cuda, cuMemSetAccess(address, bytes, &raw const wanted, 1))
    }

    /// Lets the first device read and write.
    fn open(&self, address: u64, bytes: usize) {
        assert_eq!(self.allow(address, bytes, on_device(0).location, Access::PROT_READWRITE), FINE);
    }

    fn fill(&self, address: u64, byte: u8, bytes: usize) -> CUresult {
        call!(self.cuda, cuMemsetD8_v2(address, byte, bytes))
    }

    /// Whether all of these bytes are `byte`.
    fn holds(&self, address: u64, byte: u8, bytes: usize) -> bool {
        let mut back = vec![!byte; bytes];
        let place = back.as_mut_ptr().cast::<c_void>();
        assert_eq!(call!(self.cuda, cuMemcpyDtoH_v2(place, address, bytes)), FINE);
        back.iter().all(|found| *found == byte)
    }

    fn ask(&self, attribute: Attribute, address: u64) -> u64 {
        let mut value = 0_u64;
        let place = from_mut(&mut value).cast();
        assert_eq!(call!(self.cuda, cuPointerGetAttribute(place, attribute, address)), FINE, "{attribute:?}");
        value
    }

    fn export(&self, handle: u64) -> c_int {
        let mut descriptor: c_int = -1;
        let place = from_mut(&mut descriptor).cast();
        let kind = HandleType::POSIX_FILE_DESCRIPTOR;
        assert_eq!(call!(self.cuda, cuMemExportToShareableHandle(place, handle, kind, 0)), FINE);
        descriptor
    }

    fn import(&self, handle: &mut u64, descriptor: c_int) -> CUresult {
        let number = std::ptr::without_provenance_mut(usize::try_from(descriptor).unwrap_or(usize::MAX));
        let kind = HandleType::POSIX_FILE_DESCRIPTOR;
        call!(self.cuda, cuMemImportFromShareableHandle(from_mut(handle), number, kind))
    }

    fn requested(&self) -> usize {
        usize::try_from(self.truth().requested.0).expect("64 bits")
    }
}

fn close(descriptor: c_int) {
    // SAFETY: an open descriptor that nobody else in this process knows.
    assert_eq!(unsafe { libc::close(descriptor) }, 0);
}
