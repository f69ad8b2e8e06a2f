//! Copies and fills.

use std::ffi::c_void;

use cuda_sys::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUmemorytype, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const DEFAULT: CUstream = CUstream(std::ptr::null_mut());
const NO_ARRAY: CUarray = CUarray(std::ptr::null_mut());

fn read(scene: &Scene, address: u64, bytes: usize) -> Vec<u8> {
    let mut contents = vec![0; bytes];
    let code = call!(scene.cuda, cuMemcpyDtoH_v2(contents.as_mut_ptr().cast(), address, bytes));
    assert_eq!(code, CUresult::SUCCESS);
    contents
}

fn numbers(count: u8) -> Vec<u8> {
    (0..count).collect()
}

#[test]
fn bytes_go_to_the_device_across_it_and_back() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [a, b]: [u64; 2] = [(); 2].map(|()| get!(scene.cuda, cuMemAlloc_v2(_, 4096)));
        let sent: Vec<u8> = (0..4096).map(|i: u32| i.to_le_bytes()[0] ^ i.to_le_bytes()[1]).collect();
        assert_eq!(call!(scene.cuda, cuMemcpyHtoD_v2(a, sent.as_ptr().cast(), 4096)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemcpyDtoD_v2(b + 96, a, 4000)), CUresult::SUCCESS);
        assert_eq!(read(&scene, b + 96, 4000), sent[..4000]);
        let mut back = vec![0_u8; 4096];
        let code =
            call!(scene.cuda, cuMemcpyAsync(back.as_mut_ptr().expose_provenance() as u64, a, 4096, DEFAULT));
        assert_eq!(code, CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(DEFAULT)), CUresult::SUCCESS);
        assert_eq!(back, sent);
    });
}

#[test]
fn a_copy_beyond_an_allocation_is_refused() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 100));
        let mut bytes = [7_u8; 200];
        let host = bytes.as_mut_ptr();
        for (from, count) in [(address, 101), (address + 1, 100), (address + 100, 1), (16, 1), (0, 1)] {
            let code = call!(scene.cuda, cuMemcpyDtoH_v2(host.cast(), from, count));
            assert_eq!(code, CUresult::INVALID_VALUE, "{count}");
        }
        let nothing = std::ptr::null::<c_void>();
        assert_eq!(call!(scene.cuda, cuMemcpyHtoD_v2(address, nothing, 1)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemcpyHtoD_v2(address, host.cast(), 0)), CUresult::SUCCESS);
        assert_eq!(bytes, [7; 200]);
    });
}

#[test]
fn a_rectangle_keeps_its_rows() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut pitch = 0;
        let device: u64 = get!(scene.cuda, cuMemAllocPitch_v2(_, &raw mut pitch, 8, 4, 4));
        let source = numbers(30);
        let copy = CUDA_MEMCPY2D {
            srcXInBytes: 1,
            srcY: 1,
            srcMemoryType: CUmemorytype::HOST,
            srcHost: source.as_ptr().cast(),
            srcDevice: 0,
            srcArray: NO_ARRAY,
            srcPitch: 10,
            dstXInBytes: 2,
            dstY: 1,
            dstMemoryType: CUmemorytype::DEVICE,
            dstHost: std::ptr::null_mut(),
            dstDevice: device,
            dstArray: NO_ARRAY,
            dstPitch: pitch,
            WidthInBytes: 3,
            Height: 2,
        };
        assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(&raw const copy)), CUresult::SUCCESS);
        assert_eq!(read(&scene, device + 512 + 2, 3), [11, 12, 13]);
        assert_eq!(read(&scene, device + 1024 + 2, 3), [21, 22, 23]);
        let narrow = CUDA_MEMCPY2D { srcPitch: 3, ..copy };
        assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(&raw const narrow)), CUresult::INVALID_VALUE);
        let array = CUDA_MEMCPY2D { dstMemoryType: CUmemorytype::ARRAY, ..copy };
        assert_eq!(call!(scene.cuda, cuMemcpy2D_v2(&raw const array)), CUresult::INVALID_HANDLE);
    });
}

#[test]
fn a_box_keeps_its_slices() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let device: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 64));
        let source = numbers(64);
        assert_eq!(call!(scene.cuda, cuMemcpyHtoD_v2(device, source.as_ptr().cast(), 64)), CUresult::SUCCESS);
        let mut back = [0_u8; 8];
        let copy = CUDA_MEMCPY3D {
            srcXInBytes: 1,
            srcY: 1,
            srcZ: 1,
            srcLOD: 0,
            srcMemoryType: CUmemorytype::UNIFIED,
            srcHost: std::ptr::null(),
            srcDevice: device,
            srcArray: NO_ARRAY,
            reserved0: std::ptr::null_mut(),
            srcPitch: 4,
            srcHeight: 4,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: CUmemorytype::HOST,
            dstHost: back.as_mut_ptr().cast(),
            dstDevice: 0,
            dstArray: NO_ARRAY,
            reserved1: std::ptr::null_mut(),
            dstPitch: 2,
            dstHeight: 2,
            WidthInBytes: 2,
            Height: 2,
            Depth: 2,
        };
        assert_eq!(call!(scene.cuda, cuMemcpy3D_v2(&raw const copy)), CUresult::SUCCESS);
        assert_eq!(back, [21, 22, 25, 26, 37, 38, 41, 42]);
    });
}

#[test]
fn fills_repeat_their_element() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let device: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 64));
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(device, 0xaa, 64)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemsetD16_v2(device + 2, 0x1122, 2)), CUresult::SUCCESS);
        assert_eq!(
            call!(scene.cuda, cuMemsetD32Async(device + 8, 0x0102_0304, 1, DEFAULT)),
            CUresult::SUCCESS
        );
        let expected = [0xaa, 0xaa, 0x22, 0x11, 0x22, 0x11, 0xaa, 0xaa, 4, 3, 2, 1, 0xaa];
        assert_eq!(read(&scene, device, 13), expected);
        assert_eq!(call!(scene.cuda, cuMemsetD2D8_v2(device + 16, 8, 0, 2, 3)), CUresult::SUCCESS);
        assert_eq!(read(&scene, device + 30, 6), [0xaa, 0xaa, 0, 0, 0xaa, 0xaa]);
        assert_eq!(call!(scene.cuda, cuMemsetD32_v2(device + 1, 0, 1)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(device, 0, 65)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemsetD32_v2(device, 0, usize::MAX)), CUresult::INVALID_VALUE);
    });
}
