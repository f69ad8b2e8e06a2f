//! Addresses, and what is mapped at them.

use cuda_sys::{CUmemAccess_flags as Access, CUmemLocation, CUpointer_attribute as Attribute, CUresult};

use super::{CHUNK, FINE, INVALID, MIB, on_device, shareable};
use crate::cuda::{call, get};
use crate::scene::Play;

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
