//! What a device tells of itself.

use cuda_sys::{CUdevice_attribute as Attribute, CUresult};

use crate::cuda::{call, get};
use crate::scene::Play;

#[test]
fn the_default_device_is_an_h100() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let mut name = [1; 64];
        assert_eq!(call!(scene.cuda, cuDeviceGetName(name.as_mut_ptr(), 64, 0)), CUresult::SUCCESS);
        let name: Vec<u8> = name.iter().map(|c| c.cast_unsigned()).take_while(|c| *c != 0).collect();
        assert_eq!(name, b"NVIDIA H100 80GB HBM3");
        let get = |attribute| get!(scene.cuda, cuDeviceGetAttribute(_, attribute, 0));
        assert_eq!(get(Attribute::MULTIPROCESSOR_COUNT), 132);
        assert_eq!(get(Attribute::COMPUTE_CAPABILITY_MAJOR), 9);
        assert_eq!(get(Attribute::PCI_BUS_ID), 0x1b);
        assert_eq!(get(Attribute::MAX_GRID_DIM_X), i32::MAX);
        assert_eq!(get(Attribute::MEMORY_POOLS_SUPPORTED), 1);
        let total: usize = get!(scene.cuda, cuDeviceTotalMem_v2(_, 0));
        assert_eq!(total, 81_000 << 20);
    });
}

#[test]
fn a_number_that_is_no_attribute_is_refused() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let mut value = 5;
        for attribute in [Attribute(0), Attribute(9999)] {
            let code = call!(scene.cuda, cuDeviceGetAttribute(&raw mut value, attribute, 0));
            assert_eq!((code, value), (CUresult::INVALID_VALUE, 5));
        }
        let code = call!(scene.cuda, cuDeviceGetAttribute(&raw mut value, Attribute::WARP_SIZE, 1));
        assert_eq!(code, CUresult::INVALID_DEVICE);
    });
}

#[test]
fn a_size_of_the_32_bit_era_is_the_largest_that_it_can_be() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let total: u32 = get!(scene.cuda, cuDeviceTotalMem(_, 0));
        assert_eq!(total, u32::MAX);
        let (mut free, mut total) = (0, 0);
        assert_eq!(call!(scene.cuda, cuMemGetInfo(&raw mut free, &raw mut total)), CUresult::SUCCESS);
        assert_eq!((free, total), (u32::MAX, u32::MAX));
    });
}

#[test]
fn a_device_is_found_by_its_place_on_the_bus() {
    Play::new().devices(2).run(|scene| {
        let scene = scene.initialised();
        for place in [c"0000:1C:00.0", c"0000:1c:00", c"1c:00.0"] {
            assert_eq!(get!(scene.cuda, cuDeviceGetByPCIBusId(_, place.as_ptr())), 1, "{place:?}");
        }
        let mut device = 0;
        let code = call!(scene.cuda, cuDeviceGetByPCIBusId(&raw mut device, c"0000:77:00.0".as_ptr()));
        assert_eq!(code, CUresult::INVALID_DEVICE);
    });
}
