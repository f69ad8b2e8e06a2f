//! What can be asked of a pointer.

use std::ffi::c_void;

use cuda_sys::{CUcontext, CUpointer_attribute as Attribute, CUresult};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

fn ask<T>(scene: &Scene, attribute: Attribute, pointer: u64, mut value: T) -> (CUresult, T) {
    let place = (&raw mut value).cast::<c_void>();
    (call!(scene.cuda, cuPointerGetAttribute(place, attribute, pointer)), value)
}

#[test]
fn a_device_pointer_knows_its_allocation() {
    Play::new().devices(2).run(|scene| {
        let scene = scene.initialised();
        let context = scene.create_context(1);
        let start: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1000));
        let inside = start + 999;
        assert_eq!(ask(&scene, Attribute::MEMORY_TYPE, inside, 0_u32), (CUresult::SUCCESS, 2));
        assert_eq!(ask(&scene, Attribute::DEVICE_ORDINAL, inside, 9_i32), (CUresult::SUCCESS, 1));
        assert_eq!(ask(&scene, Attribute::RANGE_START_ADDR, inside, 0_u64), (CUresult::SUCCESS, start));
        assert_eq!(ask(&scene, Attribute::RANGE_SIZE, inside, 0_u64), (CUresult::SUCCESS, 1000));
        assert_eq!(ask(&scene, Attribute::IS_MANAGED, inside, true), (CUresult::SUCCESS, false));
        let none = CUcontext(std::ptr::null_mut());
        assert_eq!(ask(&scene, Attribute::CONTEXT, inside, none), (CUresult::SUCCESS, context));
        assert_eq!(ask(&scene, Attribute::HOST_POINTER, inside, 3_u64), (CUresult::INVALID_VALUE, 3));
        assert_eq!(ask(&scene, Attribute(99), inside, 3_u64), (CUresult::INVALID_VALUE, 3));
    });
}

#[test]
fn managed_and_host_memory_say_what_they_are() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let managed: u64 = get!(scene.cuda, cuMemAllocManaged(_, 1000, 1));
        assert_eq!(ask(&scene, Attribute::IS_MANAGED, managed, false), (CUresult::SUCCESS, true));
        assert_eq!(ask(&scene, Attribute::HOST_POINTER, managed, 0_u64), (CUresult::SUCCESS, managed));
        let host: *mut c_void = get!(scene.cuda, cuMemAllocHost_v2(_, 1000));
        let host = host.addr() as u64;
        assert_eq!(ask(&scene, Attribute::MEMORY_TYPE, host, 0_u32), (CUresult::SUCCESS, 1));
    });
}

#[test]
fn an_unknown_pointer_is_an_error_alone_and_zeros_among_many() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (mut kind, mut ordinal, mut start) = (9_u32, 9_i32, 9_u64);
        assert_eq!(ask(&scene, Attribute::MEMORY_TYPE, 0x1234, 9_u32), (CUresult::INVALID_VALUE, 9));
        let mut attributes = [Attribute::MEMORY_TYPE, Attribute::DEVICE_ORDINAL, Attribute::RANGE_START_ADDR];
        let mut places: [*mut c_void; 3] =
            [(&raw mut kind).cast(), (&raw mut ordinal).cast(), (&raw mut start).cast()];
        let (names, data) = (attributes.as_mut_ptr(), places.as_mut_ptr());
        let code = call!(scene.cuda, cuPointerGetAttributes(3, names, data, 0x1234));
        assert_eq!((code, kind, ordinal, start), (CUresult::SUCCESS, 0, -2, 0));
        assert_eq!(call!(scene.cuda, cuPointerGetAttributes(0, names, data, 1)), CUresult::INVALID_VALUE);
    });
}
