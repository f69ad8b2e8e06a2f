//! Arrays: what they take and what they refuse.

use cuda_sys::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS as Requirements, CUDA_ARRAY_SPARSE_PROPERTIES as SparseProperties,
    CUDA_ARRAY3D_DESCRIPTOR as Shape, CUDA_ARRAY3D_FLAGS as Flags, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC,
    CUarray, CUarray_format as Format, CUdevice_attribute as Attribute, CUmipmappedArray, CUresourcetype,
    CUresult,
};
use std::ptr::{from_mut, from_ref, null};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const KIB: u64 = 1 << 10;
const PLANE: Shape =
    Shape { Width: 256, Height: 256, Depth: 0, Format: Format::FLOAT, NumChannels: 1, Flags: 0 };

fn create(scene: &Scene, shape: &Shape) -> CUarray {
    get!(scene.cuda, cuArray3DCreate_v2(_, from_ref(shape)))
}

fn create_levels(scene: &Scene, shape: &Shape, levels: u32) -> CUmipmappedArray {
    get!(scene.cuda, cuMipmappedArrayCreate(_, from_ref(shape), levels))
}

fn destroy(scene: &Scene, array: CUarray) {
    assert_eq!(call!(scene.cuda, cuArrayDestroy(array)), CUresult::SUCCESS);
}

fn told(scene: &Scene, array: CUarray) -> Shape {
    get!(scene.cuda, cuArray3DGetDescriptor_v2(_, array))
}

/// Bytes that arrays take.
fn taken(scene: &Scene) -> u64 {
    scene.truth().requested.0
}

#[test]
fn an_array_takes_whole_tiles_and_pages_until_it_is_destroyed() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        for (shape, bytes) in [
            (PLANE, 256 * KIB),
            (Shape { Width: 257, ..PLANE }, 320 * KIB),
            (Shape { Height: 257, ..PLANE }, 320 * KIB),
            (Shape { Height: 0, ..PLANE }, 64 * KIB),
            (Shape { Depth: 3, ..PLANE }, 768 * KIB),
            (Shape { Depth: 12, Flags: Flags::LAYERED.0 | Flags::CUBEMAP.0, ..PLANE }, 3072 * KIB),
            (Shape { Format: Format::NV12, NumChannels: 3, ..PLANE }, 128 * KIB),
            (Shape { Format: Format::BC1_UNORM, NumChannels: 4, Width: 1024, ..PLANE }, 128 * KIB),
        ] {
            let array = create(&scene, &shape);
            assert_eq!(taken(&scene), bytes, "{shape:?}");
            assert_eq!(told(&scene, array), shape);
            destroy(&scene, array);
            assert_eq!(call!(scene.cuda, cuArrayDestroy(array)), CUresult::INVALID_HANDLE);
            assert_eq!(taken(&scene), 0);
        }
        let levels = create_levels(&scene, &PLANE, 3);
        assert_eq!(taken(&scene), (256_u64 + 64 + 16).next_multiple_of(64) * KIB);
        assert_eq!(call!(scene.cuda, cuMipmappedArrayDestroy(levels)), CUresult::SUCCESS);
        assert_eq!((taken(&scene), scene.truth().allocations), (0, 0));
    });
}

#[test]
fn a_wrong_descriptor_is_an_invalid_value() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let wrong = [
            Shape { Width: 0, ..PLANE },
            Shape { Height: 0, Depth: 5, ..PLANE },
            Shape { Width: 131_073, Height: 0, ..PLANE },
            Shape { Height: 65_537, ..PLANE },
            Shape { Depth: 32_769, ..PLANE },
            Shape { Depth: 2049, Flags: Flags::LAYERED.0, ..PLANE },
            Shape { Width: 32_769, Height: 0, Flags: Flags::SURFACE_LDST.0, ..PLANE },
            Shape { Depth: 5, Flags: Flags::CUBEMAP.0, ..PLANE },
            Shape { Depth: 2, Flags: Flags::TEXTURE_GATHER.0, ..PLANE },
            Shape { Flags: 1 << 31, ..PLANE },
            Shape { Height: 0, Flags: Flags::SPARSE.0, ..PLANE },
            Shape { Flags: Flags::SPARSE.0 | Flags::DEFERRED_MAPPING.0, ..PLANE },
            Shape { NumChannels: 3, ..PLANE },
            Shape { Format: Format(0), ..PLANE },
            Shape { Format: Format::NV12, NumChannels: 1, ..PLANE },
        ];
        let mut array = CUarray(std::ptr::null_mut());
        for shape in wrong {
            let code = call!(scene.cuda, cuArray3DCreate_v2(from_mut(&mut array), from_ref(&shape)));
            assert_eq!((code, array.0.is_null()), (CUresult::INVALID_VALUE, true), "{shape:?}");
        }
        let (planar, mut levels) =
            (Shape { Format: Format::NV12, NumChannels: 3, ..PLANE }, CUmipmappedArray(array.0));
        let code = call!(scene.cuda, cuMipmappedArrayCreate(from_mut(&mut levels), from_ref(&planar), 1));
        assert_eq!(code, CUresult::INVALID_VALUE);
        // 32 TiB.
        let huge = Shape { Width: 32_768, Height: 32_768, Depth: 2048, NumChannels: 4, Flags: 1, ..PLANE };
        let code = call!(scene.cuda, cuArray3DCreate_v2(from_mut(&mut array), from_ref(&huge)));
        assert_eq!(code, CUresult::OUT_OF_MEMORY);
    });
}

#[test]
fn planes_and_levels_are_views_that_end_with_what_they_are_of() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let picture = create(&scene, &Shape { Format: Format::NV12, NumChannels: 3, ..PLANE });
        let colour: CUarray = get!(scene.cuda, cuArrayGetPlane(_, picture, 1));
        assert_eq!(get!(scene.cuda, cuArrayGetPlane(_, picture, 1)), colour);
        let expected =
            Shape { Width: 128, Height: 128, Format: Format::UNSIGNED_INT8, NumChannels: 2, ..PLANE };
        assert_eq!(told(&scene, colour), expected);
        let mut other = colour;
        let beyond = call!(scene.cuda, cuArrayGetPlane(from_mut(&mut other), picture, 2));
        assert_eq!(beyond, CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuArrayDestroy(colour)), CUresult::INVALID_HANDLE);
        assert_eq!(taken(&scene), 128 * KIB);
        destroy(&scene, picture);
        let mut shape = PLANE;
        let dead = call!(scene.cuda, cuArray3DGetDescriptor_v2(from_mut(&mut shape), colour));
        assert_eq!(dead, CUresult::INVALID_HANDLE);

        let mipmap = create_levels(&scene, &PLANE, 99);
        let last: CUarray = get!(scene.cuda, cuMipmappedArrayGetLevel(_, mipmap, 8));
        assert_eq!(told(&scene, last), Shape { Width: 1, Height: 1, ..PLANE });
        let beyond = call!(scene.cuda, cuMipmappedArrayGetLevel(from_mut(&mut other), mipmap, 9));
        assert_eq!(beyond, CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuArrayDestroy(last)), CUresult::INVALID_HANDLE);
        assert_eq!(call!(scene.cuda, cuMipmappedArrayDestroy(mipmap)), CUresult::SUCCESS);
        assert_eq!((call!(scene.cuda, cuArrayDestroy(last)), taken(&scene)), (CUresult::INVALID_HANDLE, 0));
    });
}

#[test]
fn an_array_without_memory_tells_what_one_with_memory_takes() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (shape, flag) = (Shape { Width: 1000, ..PLANE }, Flags::DEFERRED_MAPPING.0);
        assert_eq!(
            get!(scene.cuda, cuDeviceGetAttribute(_, Attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 0)),
            1
        );
        let deferred = create(&scene, &Shape { Flags: flag, ..shape });
        let levels = create_levels(&scene, &Shape { Flags: flag, ..shape }, 4);
        assert_eq!((taken(&scene), scene.truth().granted), (0, 0));
        let one: Requirements = get!(scene.cuda, cuArrayGetMemoryRequirements(_, deferred, 0));
        let four: Requirements = get!(scene.cuda, cuMipmappedArrayGetMemoryRequirements(_, levels, 0));
        let array = create(&scene, &shape);
        assert_eq!(taken(&scene), one.size as u64);
        create_levels(&scene, &shape, 4);
        assert_eq!(taken(&scene), (one.size + four.size) as u64);
        let mut again = one;
        let has_its_own = call!(scene.cuda, cuArrayGetMemoryRequirements(from_mut(&mut again), array, 0));
        assert_eq!(has_its_own, CUresult::INVALID_VALUE);
        destroy(&scene, deferred);
        let sparse = create(&scene, &Shape { Flags: Flags::SPARSE.0, ..shape });
        let tiles: SparseProperties = get!(scene.cuda, cuArrayGetSparseProperties(_, sparse));
        assert_eq!((tiles.tileExtent, taken(&scene)), ([128, 128, 1], (one.size + four.size) as u64));
    });
}

#[test]
fn the_oldest_branch_has_no_arrays_without_memory() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let (shape, mut array) =
            (Shape { Flags: Flags::DEFERRED_MAPPING.0, ..PLANE }, CUarray(std::ptr::null_mut()));
        let code = call!(scene.cuda, cuArray3DCreate_v2(from_mut(&mut array), from_ref(&shape)));
        let supported =
            get!(scene.cuda, cuDeviceGetAttribute(_, Attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 0));
        let has_them = scene.branch != "470";
        assert_eq!((code.is_success(), supported), (has_them, i32::from(has_them)));
    });
}

#[test]
fn a_context_takes_its_arrays_along() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        let array = create(&scene, &PLANE);
        create_levels(&scene, &PLANE, 2);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        assert_eq!((taken(&scene), scene.truth().allocations), (0, 0));
        scene.create_context(0);
        assert_eq!(call!(scene.cuda, cuArrayDestroy(array)), CUresult::INVALID_HANDLE);
    });
}

#[test]
fn texture_and_surface_objects_name_what_is_there() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let array = create(&scene, &PLANE);
        let mut res = [0; 16];
        res[0] = array.0.addr() as u64;
        let resource = CUDA_RESOURCE_DESC { resType: CUresourcetype::ARRAY, res, flags: 0 };
        let how = CUDA_TEXTURE_DESC {
            addressMode: [0; 3],
            filterMode: 0,
            flags: 2,
            maxAnisotropy: 0,
            mipmapFilterMode: 0,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: [0.0; 4],
            reserved: [0; 12],
        };
        let texture: u64 =
            get!(scene.cuda, cuTexObjectCreate(_, from_ref(&resource), from_ref(&how), null()));
        let found: CUDA_TEXTURE_DESC = get!(scene.cuda, cuTexObjectGetTextureDesc(_, texture));
        assert_eq!((found, taken(&scene)), (how, 256 * KIB));
        assert_eq!(get!(scene.cuda, cuTexObjectGetResourceDesc(_, texture)), resource);
        assert_eq!(call!(scene.cuda, cuTexObjectDestroy(texture)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuTexObjectDestroy(texture)), CUresult::INVALID_VALUE);
        // It was not created to be written to.
        let mut surface = 0_u64;
        let code = call!(scene.cuda, cuSurfObjectCreate(from_mut(&mut surface), from_ref(&resource)));
        assert_eq!((code, surface), (CUresult::INVALID_VALUE, 0));
        res[0] = create(&scene, &Shape { Flags: Flags::SURFACE_LDST.0, ..PLANE }).0.addr() as u64;
        let resource = CUDA_RESOURCE_DESC { res, ..resource };
        let surface: u64 = get!(scene.cuda, cuSurfObjectCreate(_, from_ref(&resource)));
        assert_eq!(get!(scene.cuda, cuSurfObjectGetResourceDesc(_, surface)), resource);
        assert_eq!(call!(scene.cuda, cuSurfObjectDestroy(surface)), CUresult::SUCCESS);
    });
}
