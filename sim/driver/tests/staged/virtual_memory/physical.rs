//! Physical memory: made, shared, and when it goes back.

use std::ffi::c_int;
use std::ptr::{from_mut, null, null_mut};

use cuda_sys::{
    CUmemAccess_flags as Access, CUmemAllocationGranularity_flags as Granularity,
    CUmemAllocationHandleType as HandleType, CUmemAllocationProp, CUmemAllocationType, CUmemLocation,
    CUmemLocationType as LocationType, CUpointer_attribute as Attribute, CUresult,
};

use super::{CHUNK, FINE, INVALID, MIB, at, close, on_device, shareable};
use crate::cuda::{call, get};
use crate::scene::Play;

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
