//! Copies from and to arrays.

use cuda_sys::{
    CUDA_ARRAY3D_DESCRIPTOR as Shape, CUDA_ARRAY3D_FLAGS as Flags, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray,
    CUarray_format as Format, CUmemorytype, CUresult,
};
use std::ffi::c_void;
use std::ptr::{from_ref, null};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

/// Bytes.
const PLANE: Shape =
    Shape { Width: 10, Height: 4, Depth: 0, Format: Format::UNSIGNED_INT8, NumChannels: 1, Flags: 0 };

fn create(scene: &Scene, shape: &Shape) -> CUarray {
    get!(scene.cuda, cuArray3DCreate_v2(_, from_ref(shape)))
}

/// A copy of `width` bytes by `height` rows from a place of one kind to a place of another.
fn rectangle(width: usize, height: usize) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: CUmemorytype::ARRAY,
        srcHost: null(),
        srcDevice: 0,
        srcArray: CUarray(std::ptr::null_mut()),
        srcPitch: width,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CUmemorytype::ARRAY,
        dstHost: std::ptr::null_mut(),
        dstDevice: 0,
        dstArray: CUarray(std::ptr::null_mut()),
        dstPitch: width,
        WidthInBytes: width,
        Height: height,
    }
}

#[test]
fn what_is_copied_to_an_array_comes_back_from_it() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (one, other) = (create(&scene, &PLANE), create(&scene, &PLANE));
        let source: Vec<u8> = (0..40).collect();
        let mut back = [0_u8; 40];
        let (host, place) = (source.as_ptr().cast::<c_void>(), back.as_mut_ptr().cast::<c_void>());
        let steps = [
            CUDA_MEMCPY2D {
                srcMemoryType: CUmemorytype::HOST,
                srcHost: host,
                dstArray: one,
                ..rectangle(10, 4)
            },
            CUDA_MEMCPY2D { srcArray: one, dstArray: other, srcY: 1, ..rectangle(10, 3) },
            CUDA_MEMCPY2D {
                dstMemoryType: CUmemorytype::HOST,
                dstHost: place,
                srcArray: other,
                ..rectangle(10, 3)
            },
        ];
        for step in steps {
            assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(from_ref(&step))), CUresult::SUCCESS);
        }
        assert_eq!((&back[..30], &back[30..]), (&source[10..], [0; 10].as_slice()));
        for beyond in [
            CUDA_MEMCPY2D { srcArray: one, dstArray: other, srcXInBytes: 1, ..rectangle(10, 1) },
            CUDA_MEMCPY2D { srcArray: one, dstArray: other, dstY: 1, ..rectangle(10, 4) },
            CUDA_MEMCPY2D { srcArray: one, dstArray: other, ..rectangle(11, 1) },
        ] {
            assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(from_ref(&beyond))), CUresult::INVALID_VALUE);
        }
        let nothing = CUDA_MEMCPY2D { dstArray: other, ..rectangle(1, 1) };
        assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(from_ref(&nothing))), CUresult::INVALID_HANDLE);
        // Only lines have an order of bytes.
        assert_eq!(call!(scene.cuda, cuMemcpyHtoA_v2(one, 0, host, 10)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_line_is_copied_by_bytes() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let line = Shape { Width: 16, Height: 0, ..PLANE };
        let (one, other) = (create(&scene, &line), create(&scene, &line));
        let source: Vec<u8> = (0..8).collect();
        assert_eq!(call!(scene.cuda, cuMemcpyHtoA_v2(one, 4, source.as_ptr().cast(), 8)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemcpyAtoA_v2(other, 0, one, 4, 8)), CUresult::SUCCESS);
        let mut back = [0_u8; 8];
        let place = back.as_mut_ptr().cast::<c_void>();
        assert_eq!(call!(scene.cuda, cuMemcpyAtoH_v2(place, other, 2, 6)), CUresult::SUCCESS);
        assert_eq!(&back[..7], [2, 3, 4, 5, 6, 7, 0]);
        assert_eq!(call!(scene.cuda, cuMemcpyAtoH_v2(place, other, 9, 8)), CUresult::INVALID_VALUE);
    });
}

/// A copy of a whole box of 4 by 4 by 4 bytes from host memory.
fn whole_box(source: &[u8], solid: CUarray) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::HOST,
        srcHost: source.as_ptr().cast(),
        srcDevice: 0,
        srcArray: CUarray(std::ptr::null_mut()),
        reserved0: std::ptr::null_mut(),
        srcPitch: 4,
        srcHeight: 4,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::ARRAY,
        dstHost: std::ptr::null_mut(),
        dstDevice: 0,
        dstArray: solid,
        reserved1: std::ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: 4,
        Height: 4,
        Depth: 4,
    }
}

#[test]
fn a_box_is_copied_by_slices() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let solid = create(&scene, &Shape { Width: 4, Height: 4, Depth: 4, ..PLANE });
        let (source, mut back): (Vec<u8>, _) = ((0..64).collect(), [0_u8; 8]);
        let whole = whole_box(&source, solid);
        assert_eq!(call!(scene.cuda, cuMemcpy3D_v2(from_ref(&whole))), CUresult::SUCCESS);
        let part = CUDA_MEMCPY3D {
            srcMemoryType: CUmemorytype::ARRAY,
            srcArray: solid,
            srcXInBytes: 1,
            srcY: 1,
            srcZ: 1,
            dstMemoryType: CUmemorytype::HOST,
            dstHost: back.as_mut_ptr().cast(),
            dstArray: whole.srcArray,
            dstPitch: 2,
            dstHeight: 2,
            WidthInBytes: 2,
            Height: 2,
            Depth: 2,
            ..whole
        };
        assert_eq!(call!(scene.cuda, cuMemcpy3D_v2(from_ref(&part))), CUresult::SUCCESS);
        assert_eq!(back, [21, 22, 25, 26, 37, 38, 41, 42]);
        let beyond = CUDA_MEMCPY3D { srcZ: 3, ..part };
        assert_eq!(call!(scene.cuda, cuMemcpy3D_v2(from_ref(&beyond))), CUresult::INVALID_VALUE);
    });
}

#[test]
fn what_is_mapped_to_an_array_has_no_contents_here() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let deferred = create(&scene, &Shape { Flags: Flags::DEFERRED_MAPPING.0, ..PLANE });
        let copy = CUDA_MEMCPY2D { srcArray: deferred, dstArray: create(&scene, &PLANE), ..rectangle(4, 1) };
        assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(from_ref(&copy))), CUresult::NOT_SUPPORTED);
    });
}
