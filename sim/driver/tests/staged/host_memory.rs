//! Host memory.

use std::ffi::c_void;

use cuda_sys::CUresult;

use crate::cuda::{call, get};
use crate::scene::Play;

#[test]
fn host_memory_takes_nothing_of_the_device() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let pointer: *mut c_void = get!(scene.cuda, cuMemHostAlloc(_, 4096, 2));
        // SAFETY: four kibibytes of memory.
        unsafe { pointer.cast::<u8>().write_bytes(1, 4096) };
        assert_eq!(get!(scene.cuda, cuMemHostGetFlags(_, pointer)), 2);
        let device: u64 = get!(scene.cuda, cuMemHostGetDevicePointer_v2(_, pointer, 0));
        assert_eq!(device, pointer.addr() as u64);
        assert_eq!(scene.truth().allocations, 0);
        assert_eq!(call!(scene.cuda, cuMemFreeHost(pointer)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeHost(pointer)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn memory_of_the_program_is_registered_once() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut bytes = vec![0_u8; 4096];
        let pointer: *mut c_void = bytes.as_mut_ptr().cast();
        let register = || call!(scene.cuda, cuMemHostRegister_v2(pointer, 4096, 0));
        assert_eq!(register(), CUresult::SUCCESS);
        assert_eq!(register(), CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        assert_eq!(call!(scene.cuda, cuMemHostUnregister(pointer)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemHostUnregister(pointer)), CUresult::HOST_MEMORY_NOT_REGISTERED);
    });
}
