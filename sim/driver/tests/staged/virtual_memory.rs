//! Address ranges and the physical memory that is mapped there.

use std::ffi::{c_int, c_void};
use std::ptr::{from_mut, null, null_mut};

use cuda_sys::{
    CUmemAccess_flags as Access, CUmemAccessDesc, CUmemAllocationGranularity_flags as Granularity,
    CUmemAllocationHandleType as HandleType, CUmemAllocationProp, CUmemAllocationPropFlags,
    CUmemAllocationType, CUmemLocation, CUmemLocationType as LocationType, CUpointer_attribute as Attribute,
    CUresult,
};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

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

fn on_device(id: i32) -> CUmemAllocationProp {
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

#[test]
fn mapped_memory_is_read_and_written_across_neighbours_and_aliases() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let handles = [scene.create(CHUNK, on_device(0)), scene.create(2 * CHUNK, on_device(0))];
        let start = scene.reserve(16 * CHUNK);
        assert_eq!(scene.map(start, CHUNK, handles[0]), FINE);
        assert_eq!(scene.map(start + CHUNK as u64, 2 * CHUNK, handles[1]), FINE);
        assert_eq!(scene.fill(start, 7, MIB), INVALID, "nobody has access yet");
        scene.open(start, 3 * CHUNK);
        assert_eq!(scene.fill(start, 7, 3 * CHUNK), FINE);
        assert_eq!(scene.fill(start, 7, 3 * CHUNK + 1), INVALID);
        let alias = start + 8 * CHUNK as u64;
        assert_eq!(scene.map(alias, 2 * CHUNK, handles[1]), FINE);
        scene.open(alias, 2 * CHUNK);
        assert!(scene.holds(alias, 7, 2 * CHUNK));
        assert_eq!(scene.fill(alias, 9, 1), FINE);
        assert!(scene.holds(start + CHUNK as u64, 9, 1) && scene.holds(start, 7, CHUNK));
        let (mut base, mut size) = (0_u64, 0_usize);
        let inside = start + CHUNK as u64 + 5;
        let code = call!(scene.cuda, cuMemGetAddressRange_v2(&raw mut base, &raw mut size, inside));
        assert_eq!((code, base, size), (FINE, start + CHUNK as u64, 2 * CHUNK));
        assert_eq!(call!(scene.cuda, cuMemFree_v2(start)), INVALID);
    });
}

#[test]
fn memory_goes_back_with_its_last_handle_and_its_last_mapping() {
    Play::everywhere().run(|scene| {
        let (scene, context) = scene.with_context();
        let handle = scene.create(10 * CHUNK, on_device(0));
        let start = scene.reserve(10 * CHUNK);
        assert_eq!(scene.map(start, 10 * CHUNK, handle), FINE);
        assert_eq!([scene.release(handle), scene.release(handle)], [FINE, INVALID]);
        assert_eq!(scene.map(start, 10 * CHUNK, handle), INVALID);
        assert_eq!(scene.requested(), 10 * CHUNK);
        let inside = std::ptr::without_provenance_mut(usize::try_from(start).expect("64 bits") + 5);
        let same: u64 = get!(scene.cuda, cuMemRetainAllocationHandle(_, inside));
        assert_eq!((scene.release(same), scene.requested()), (FINE, 10 * CHUNK));
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), FINE);
        assert_eq!(scene.requested(), 10 * CHUNK, "it is of no context");
        assert_eq!((scene.unmap(start, 10 * CHUNK), scene.requested()), (FINE, 0));
        let gone = call!(scene.cuda, cuMemRetainAllocationHandle(&mut 0, inside));
        assert_eq!(gone, INVALID);
    });
}

#[test]
fn sizes_and_places_that_are_no_whole_ones_are_refused() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (right, mut handle) = (on_device(0), 5_u64);
        let create = |bytes, properties: CUmemAllocationProp, flags| {
            let mut handle = 5_u64;
            let code = call!(scene.cuda, cuMemCreate(&raw mut handle, bytes, &raw const properties, flags));
            (code, handle)
        };
        for bytes in [0, 1, MIB, CHUNK + 4096] {
            assert_eq!(create(bytes, right, 0), (INVALID, 5), "{bytes}");
        }
        assert_eq!(create(CHUNK, right, 1), (INVALID, 5));
        assert_eq!(create(CHUNK, on_device(9), 0), (CUresult::INVALID_DEVICE, 5));
        assert_eq!(create(CHUNK << 30, right, 0), (CUresult::OUT_OF_MEMORY, 5));
        let fabric = CUmemAllocationProp { requestedHandleTypes: HandleType::FABRIC, ..right };
        assert_eq!(create(CHUNK, fabric, 0), (CUresult::NOT_SUPPORTED, 5));
        let strange = CUmemAllocationProp { kind: CUmemAllocationType::INVALID, ..right };
        assert_eq!(create(CHUNK, strange, 0), (INVALID, 5));
        assert_eq!(call!(scene.cuda, cuMemCreate(&raw mut handle, CHUNK, null(), 0)), INVALID);
        assert_eq!(call!(scene.cuda, cuMemCreate(null_mut(), CHUNK, &raw const right, 0)), INVALID);
        for option in [Granularity::MINIMUM, Granularity::RECOMMENDED] {
            let bytes: usize = get!(scene.cuda, cuMemGetAllocationGranularity(_, &raw const right, option));
            assert_eq!(bytes, CHUNK);
        }
        let mut bytes = 5_usize;
        let unknown = Granularity(2);
        let code =
            call!(scene.cuda, cuMemGetAllocationGranularity(&raw mut bytes, &raw const right, unknown));
        assert_eq!((code, bytes), (INVALID, 5));
        assert_eq!(scene.requested(), 0);
    });
}

#[test]
fn reservations_are_of_pages_and_freed_as_they_were_made() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut address = 5_u64;
        for (bytes, alignment, wanted, flags) in
            [(0, 0, 0, 0), (1, 0, 0, 0), (CHUNK, 3, 0, 0), (CHUNK, 0, 1, 0), (CHUNK, 0, 0, 1)]
        {
            let place = &raw mut address;
            let code = call!(scene.cuda, cuMemAddressReserve(place, bytes, alignment, wanted, flags));
            assert_eq!((code, address), (INVALID, 5), "{bytes} {alignment} {wanted} {flags}");
        }
        // As much as PyTorch reserves for a segment, more than once.
        let ranges = [0; 8].map(|_| scene.reserve(90 << 30));
        let aligned: u64 = get!(scene.cuda, cuMemAddressReserve(_, CHUNK, 1 << 30, 0, 0));
        assert_eq!(aligned % (1 << 30), 0);
        for start in ranges {
            assert_eq!(call!(scene.cuda, cuMemAddressFree(start, 45 << 30)), INVALID);
            assert_eq!(call!(scene.cuda, cuMemAddressFree(start, 90 << 30)), FINE);
            assert_eq!(call!(scene.cuda, cuMemAddressFree(start, 90 << 30)), INVALID);
        }
        let again: u64 = get!(scene.cuda, cuMemAddressReserve(_, CHUNK, 0, ranges[3], 0));
        assert_eq!(again, ranges[3], "the address that was wished for is free");
        assert_ne!(get!(scene.cuda, cuMemAddressReserve(_, CHUNK, 0, ranges[3], 0)), again);
        let handle = scene.create(CHUNK, on_device(0));
        assert_eq!(scene.map(again, CHUNK, handle), FINE);
        assert_eq!(call!(scene.cuda, cuMemAddressFree(again, CHUNK)), INVALID, "something is mapped there");
        assert_eq!(scene.unmap(again, CHUNK), FINE);
        assert_eq!(call!(scene.cuda, cuMemAddressFree(again, CHUNK)), FINE);
    });
}

#[test]
fn mappings_do_not_overlap_and_are_undone_as_a_whole() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let handle = scene.create(2 * CHUNK, on_device(0));
        let start = scene.reserve(4 * CHUNK);
        let chunks = |count: usize| start + (count * CHUNK) as u64;
        assert_eq!(scene.map(start, 2 * CHUNK, 77), INVALID);
        assert_eq!(scene.map(chunks(3), 2 * CHUNK, handle), INVALID, "beyond the reservation");
        assert_eq!(scene.map(start, 3 * CHUNK, handle), INVALID, "beyond the memory");
        assert_eq!(scene.map(start + 4096, CHUNK, handle), INVALID);
        assert_eq!(call!(scene.cuda, cuMemMap(start, CHUNK, CHUNK, handle, 0)), INVALID);
        assert_eq!(scene.map(0x1000_0000, CHUNK, handle), INVALID, "not reserved");
        assert_eq!(scene.map(start, 2 * CHUNK, handle), FINE);
        assert_eq!(scene.map(chunks(1), 2 * CHUNK, handle), INVALID, "overlaps");
        assert_eq!(scene.map(chunks(2), CHUNK, handle), FINE, "the first half of the memory");
        assert_eq!(scene.unmap(start, CHUNK), INVALID);
        assert_eq!(scene.unmap(chunks(1), 2 * CHUNK), INVALID);
        assert_eq!(scene.unmap(start, 4 * CHUNK), INVALID, "with a hole at the end");
        assert_eq!(scene.allow(start, CHUNK, on_device(0).location, Access::PROT_READ), INVALID);
        assert_eq!(scene.unmap(start, 3 * CHUNK), FINE);
        assert_eq!(scene.unmap(start, 3 * CHUNK), INVALID);
        assert_eq!((scene.release(handle), scene.requested()), (FINE, 0));
    });
}

#[test]
fn access_is_each_device_s_own_and_those_without_a_way_get_none() {
    Play::new().devices(2).run(|scene| {
        let (scene, _) = scene.with_context();
        let start = scene.reserve(CHUNK);
        let [own, other] = [0, 1].map(|id| on_device(id).location);
        let access = |location: CUmemLocation| -> u64 {
            get!(scene.cuda, cuMemGetAccess(_, &raw const location, start))
        };
        let handle = scene.create(CHUNK, on_device(1));
        assert_eq!(scene.map(start, CHUNK, handle), FINE);
        assert_eq!((access(own), access(other)), (0, 0));
        assert_eq!(scene.allow(start, CHUNK, own, Access::PROT_READWRITE), CUresult::INVALID_DEVICE);
        assert_eq!(scene.allow(start, CHUNK, other, Access::PROT_READWRITE), FINE);
        assert_eq!((access(own), access(other)), (0, 3));
        assert_eq!(scene.allow(start, CHUNK, other, Access(2)), INVALID);
        assert_eq!(
            scene.allow(start, CHUNK, on_device(7).location, Access::PROT_READ),
            CUresult::INVALID_DEVICE
        );
        let nowhere = call!(scene.cuda, cuMemGetAccess(&mut 0, &raw const own, 0x1000));
        assert_eq!(nowhere, INVALID);
    });
}

#[test]
fn a_pointer_to_mapped_memory_tells_its_mapping_and_its_reservation() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let start = scene.reserve(8 * CHUNK);
        let handle = scene.create(CHUNK, shareable());
        let mapped = start + CHUNK as u64;
        assert_eq!(scene.map(mapped, CHUNK, handle), FINE);
        scene.open(mapped, CHUNK);
        let pointer = mapped + 5;
        for (attribute, value) in [
            (Attribute::MEMORY_TYPE, 2),
            (Attribute::DEVICE_POINTER, pointer),
            (Attribute::RANGE_START_ADDR, start),
            (Attribute::RANGE_SIZE, 8 * CHUNK as u64),
            (Attribute::MAPPING_BASE_ADDR, mapped),
            (Attribute::MAPPING_SIZE, CHUNK as u64),
            (Attribute::MAPPED, 1),
            (Attribute::IS_LEGACY_CUDA_IPC_CAPABLE, 0),
            (Attribute::ALLOWED_HANDLE_TYPES, 1),
            (Attribute::ACCESS_FLAGS, 3),
            (Attribute::DEVICE_ORDINAL, 0),
        ] {
            assert_eq!(scene.ask(attribute, pointer), value, "{attribute:?}");
        }
    });
}

#[test]
fn memory_of_the_host_is_no_device_s_and_the_program_reaches_it() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let version: c_int = get!(scene.cuda, cuDriverGetVersion(_));
        let create = |kind| {
            let properties = at(kind, 0);
            call!(scene.cuda, cuMemCreate(&mut 0, CHUNK, &raw const properties, 0))
        };
        assert_eq!(create(LocationType::HOST_NUMA_CURRENT), INVALID);
        assert_eq!(create(LocationType::HOST), if version >= 13_000 { FINE } else { INVALID });
        if version < 12_020 {
            return assert_eq!(create(LocationType::HOST_NUMA), INVALID);
        }
        let handle = scene.create(CHUNK, at(LocationType::HOST_NUMA, 0));
        let start = scene.reserve(CHUNK);
        assert_eq!((scene.map(start, CHUNK, handle), scene.requested()), (FINE, 0));
        scene.open(start, CHUNK);
        let host = CUmemLocation { kind: LocationType::HOST_NUMA, id: 0 };
        assert_eq!(scene.allow(start, CHUNK, host, Access::PROT_READWRITE), FINE);
        assert_eq!(scene.fill(start, 7, CHUNK), FINE);
        let place = usize::try_from(start).expect("64 bits");
        // SAFETY: the driver has mapped the host's memory there, and was told to let this program read it.
        assert_eq!(unsafe { std::ptr::with_exposed_provenance::<u8>(place).read() }, 7);
        assert_eq!(scene.ask(Attribute::MEMORY_TYPE, start) & 0xff, 1);
    });
}

#[test]
fn an_export_is_imported_as_another_handle_of_the_same_memory() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let handle = scene.create(CHUNK, shareable());
        let descriptor = scene.export(handle);
        let mut import = 0;
        assert_eq!(scene.import(&mut import, descriptor), FINE);
        assert_ne!(import, handle);
        let properties: CUmemAllocationProp =
            get!(scene.cuda, cuMemGetAllocationPropertiesFromHandle(_, import));
        assert_eq!(properties.location, on_device(0).location);
        assert_eq!(scene.release(handle), FINE);
        assert_eq!(scene.requested(), CHUNK);
        assert_eq!(scene.release(import), FINE);
        assert_eq!(scene.requested(), CHUNK, "the descriptor keeps it");
        assert_eq!(scene.import(&mut import, descriptor), FINE);
        close(descriptor);
        assert_eq!(scene.requested(), CHUNK);
        assert_eq!((scene.release(import), scene.requested()), (FINE, 0));
        assert_eq!(scene.import(&mut import, descriptor), INVALID, "closed");
    });
}

#[test]
fn only_what_was_made_for_it_is_exported() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [private, shared] = [scene.create(CHUNK, on_device(0)), scene.create(CHUNK, shareable())];
        let export = |handle, kind, flags| {
            let mut descriptor: c_int = 5;
            let place = from_mut(&mut descriptor).cast();
            (call!(scene.cuda, cuMemExportToShareableHandle(place, handle, kind, flags)), descriptor)
        };
        assert_eq!(export(private, HandleType::POSIX_FILE_DESCRIPTOR, 0), (INVALID, 5));
        assert_eq!(export(shared, HandleType::POSIX_FILE_DESCRIPTOR, 1), (INVALID, 5));
        assert_eq!(export(shared, HandleType::FABRIC, 0), (INVALID, 5));
        assert_eq!(export(77, HandleType::POSIX_FILE_DESCRIPTOR, 0), (INVALID, 5));
        let mut import = 5;
        assert_eq!((scene.import(&mut import, 0), import), (INVALID, 5), "no memory");
        assert_eq!((scene.import(&mut import, -1), import), (INVALID, 5), "no descriptor");
    });
}

#[test]
fn a_segment_is_unmapped_and_mapped_again_at_the_same_address() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let start = scene.reserve(4 * CHUNK);
        for round in 1..4 {
            let handle = scene.create(4 * CHUNK, on_device(0));
            assert_eq!(scene.map(start, 4 * CHUNK, handle), FINE);
            scene.open(start, 4 * CHUNK);
            assert!(scene.holds(start, 0, 4 * CHUNK), "new memory is empty");
            assert_eq!(scene.fill(start, round, 4 * CHUNK), FINE);
            assert!(scene.holds(start, round, 4 * CHUNK));
            assert_eq!([scene.unmap(start, 4 * CHUNK), scene.release(handle)], [FINE; 2]);
            assert_eq!(scene.fill(start, round, 1), INVALID);
        }
        assert_eq!(scene.requested(), 0);
    });
}
