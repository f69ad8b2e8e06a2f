//! Physical memory that is mapped to arrays without memory.

use cuda_sys::{
    CUDA_ARRAY3D_DESCRIPTOR as Shape, CUDA_ARRAY3D_FLAGS as Flags, CUarray, CUarray_format as Format,
    CUarrayMapInfo, CUarrayMapSubresource, CUarraySparseSubresourceType as Part, CUmemAllocationProp,
    CUmemAllocationPropFlags, CUmemHandleType, CUmemOperationType as Operation, CUmipmappedArray,
    CUresourcetype, CUresult, CUstream,
};
use std::ffi::c_void;
use std::ptr::{from_mut, from_ref, null_mut};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};
use crate::virtual_memory::on_device;

const MIB: usize = 1 << 20;
const PAGE: u64 = 64 << 10;
const DEFAULT: CUstream = CUstream(null_mut());

/// 8 by 8 tiles of 128 by 128 elements.
const PLANE: Shape = Shape {
    Width: 1024,
    Height: 1024,
    Depth: 0,
    Format: Format::FLOAT,
    NumChannels: 1,
    Flags: Flags::SPARSE.0,
};

/// Memory for tiles, or for anything else.
fn memory(scene: &Scene, bytes: usize, is_for_tiles: bool) -> u64 {
    let flags = CUmemAllocationPropFlags { usage: is_for_tiles.into(), ..Default::default() };
    let properties = CUmemAllocationProp { allocFlags: flags, ..on_device(0) };
    get!(scene.cuda, cuMemCreate(_, bytes, from_ref(&properties), 0))
}

fn plane(scene: &Scene, shape: &Shape) -> *mut c_void {
    let array: CUarray = get!(scene.cuda, cuArray3DCreate_v2(_, from_ref(shape)));
    array.0
}

/// Maps the box of elements `at` of the first level, or of the tail, to memory; to none: unmaps it.
fn entry(array: *mut c_void, at: [u32; 8], memory: u64) -> CUarrayMapInfo {
    CUarrayMapInfo {
        resourceType: CUresourcetype::ARRAY,
        resource: array,
        subresourceType: Part::SPARSE_LEVEL,
        subresource: CUarrayMapSubresource(at),
        memOperationType: if memory == 0 { Operation::UNMAP } else { Operation::MAP },
        memHandleType: CUmemHandleType::GENERIC,
        memHandle: memory,
        offset: 0,
        deviceBitMask: 1,
        flags: 0,
        reserved: [0; 2],
    }
}

fn do_map(scene: &Scene, mut entries: Vec<CUarrayMapInfo>) -> CUresult {
    let count = u32::try_from(entries.len()).unwrap();
    call!(scene.cuda, cuMemMapArrayAsync(entries.as_mut_ptr(), count, DEFAULT))
}

fn maps(scene: &Scene, entry: CUarrayMapInfo) {
    assert_eq!(do_map(scene, vec![entry]), CUresult::SUCCESS);
}

fn release(scene: &Scene, memory: u64) {
    assert_eq!(call!(scene.cuda, cuMemRelease(memory)), CUresult::SUCCESS);
}

/// Bytes of physical memory.
fn taken(scene: &Scene) -> u64 {
    let truth = scene.truth();
    truth.resident.0 - truth.overhead.0
}

const ALL: [u32; 8] = [0, 0, 0, 0, 0, 1024, 1024, 1];
const LEFT: [u32; 8] = [0, 0, 0, 0, 0, 512, 1024, 1];
const RIGHT: [u32; 8] = [0, 0, 512, 0, 0, 512, 1024, 1];

#[test]
fn tiles_keep_their_memory_until_the_last_is_unmapped_or_mapped_over() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let array = plane(&scene, &PLANE);
        let (one, other) = (memory(&scene, 4 * MIB, true), memory(&scene, 2 * MIB, true));
        maps(&scene, entry(array, ALL, one));
        maps(&scene, entry(array, RIGHT, other));
        release(&scene, one);
        release(&scene, other);
        assert_eq!(taken(&scene), 6 * MIB as u64);
        maps(&scene, entry(array, LEFT, 0));
        assert_eq!(taken(&scene), 2 * MIB as u64);
        maps(&scene, entry(array, ALL, 0));
        assert_eq!(taken(&scene), 0);
    });
}

#[test]
fn an_array_or_its_context_takes_its_mappings_along() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        let array = plane(&scene, &PLANE);
        let one = memory(&scene, 4 * MIB, true);
        maps(&scene, entry(array, ALL, one));
        release(&scene, one);
        assert_eq!(call!(scene.cuda, cuArrayDestroy(CUarray(array))), CUresult::SUCCESS);
        assert_eq!(taken(&scene), 0);
        // A deferred array is mapped as a whole.
        let array = plane(&scene, &Shape { Flags: Flags::DEFERRED_MAPPING.0, ..PLANE });
        let one = memory(&scene, 4 * MIB, true);
        maps(&scene, entry(array, [7; 8], one));
        release(&scene, one);
        assert_eq!(taken(&scene), 4 * MIB as u64);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        assert_eq!(scene.truth().resident.0, 0);
    });
}

#[test]
fn levels_are_mapped_by_tiles_and_their_tail_by_bytes() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let levels: CUmipmappedArray = get!(scene.cuda, cuMipmappedArrayCreate(_, from_ref(&PLANE), 11));
        let one = memory(&scene, 2 * MIB, true);
        let level = CUarrayMapInfo {
            resourceType: CUresourcetype::MIPMAPPED_ARRAY,
            ..entry(levels.0, [3, 0, 0, 0, 0, 128, 128, 1], one)
        };
        let tail = CUarrayMapInfo {
            subresourceType: Part::MIPTAIL,
            subresource: CUarrayMapSubresource([0, 0, 0, 0, u32::try_from(PAGE).unwrap(), 0, 0, 0]),
            ..level
        };
        assert_eq!(do_map(&scene, vec![level, tail]), CUresult::SUCCESS);
        release(&scene, one);
        let unmap =
            |of: CUarrayMapInfo| CUarrayMapInfo { memOperationType: Operation::UNMAP, memHandle: 0, ..of };
        maps(&scene, unmap(level));
        assert_eq!(taken(&scene), 2 * MIB as u64);
        maps(&scene, unmap(tail));
        assert_eq!(taken(&scene), 0);
        // The fourth level is in the tail.
        let deep =
            CUarrayMapInfo { subresource: CUarrayMapSubresource([4, 0, 0, 0, 0, 64, 64, 1]), ..unmap(level) };
        assert_eq!(do_map(&scene, vec![deep]), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_list_with_a_wrong_entry_changes_nothing() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let array = plane(&scene, &PLANE);
        let (one, plain) = (memory(&scene, 2 * MIB, true), memory(&scene, 4 * MIB, false));
        let right = entry(array, LEFT, one);
        let own = plane(&scene, &Shape { Flags: 0, ..PLANE });
        for wrong in [
            entry(array, ALL, one),
            entry(array, LEFT, plain),
            entry(array, LEFT, 77),
            entry(own, LEFT, one),
            entry(null_mut(), LEFT, one),
            entry(array, [0, 0, 1, 0, 0, 512, 1024, 1], one),
            entry(array, [0, 0, 0, 0, 0, 100, 1024, 1], one),
            entry(array, [0, 1, 0, 0, 0, 512, 1024, 1], one),
            entry(array, [1, 0, 0, 0, 0, 512, 1024, 1], one),
            CUarrayMapInfo { offset: 1, ..right },
            CUarrayMapInfo { offset: PAGE, ..right },
            CUarrayMapInfo { deviceBitMask: 2, ..right },
            CUarrayMapInfo { memOperationType: Operation::UNMAP, ..right },
            CUarrayMapInfo { flags: 1, ..right },
        ] {
            let code = do_map(&scene, vec![right, wrong]);
            assert!(matches!(code, CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE), "{wrong:?}");
        }
        let nothing = call!(scene.cuda, cuMemMapArrayAsync(null_mut(), 1, DEFAULT));
        assert_eq!(nothing, CUresult::INVALID_VALUE);
        let before = taken(&scene);
        release(&scene, one);
        assert_eq!(taken(&scene), before - 2 * MIB as u64);
        let mut unmapping = entry(array, ALL, 0);
        assert_eq!(
            call!(scene.cuda, cuMemMapArrayAsync(from_mut(&mut unmapping), 1, DEFAULT)),
            CUresult::SUCCESS
        );
    });
}
