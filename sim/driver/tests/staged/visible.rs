//! `CUDA_VISIBLE_DEVICES`.

use cuda_sys::{CUresult, CUuuid};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

fn buses(scene: &Scene) -> Vec<u8> {
    let count = get!(scene.cuda, cuDeviceGetCount(_));
    let bus = |ordinal| {
        let mut text = [0; 16];
        let code = call!(scene.cuda, cuDeviceGetPCIBusId(text.as_mut_ptr(), 16, ordinal));
        assert_eq!(code, CUresult::SUCCESS);
        let text: String = text.map(|c| char::from(c.cast_unsigned())).iter().collect();
        u8::from_str_radix(&text[5..7], 16).unwrap() - 0x1b
    };
    (0..count).map(bus).collect()
}

#[test]
fn indices_select_and_reorder_devices() {
    Play::new().devices(3).env("CUDA_VISIBLE_DEVICES", "2,0,9,1").run(|scene| {
        assert_eq!(buses(&scene.initialised()), [2, 0]);
    });
}

#[test]
fn a_device_is_named_by_the_beginning_of_its_uuid() {
    let uuid = "GPU-76677075-2073-496d-a040-008000000001";
    Play::new().devices(2).env("CUDA_VISIBLE_DEVICES", uuid).run(|scene| {
        let scene = scene.initialised();
        assert_eq!(buses(&scene), [1]);
        let CUuuid { bytes } = get!(scene.cuda, cuDeviceGetUuid_v2(_, 0));
        assert_eq!(bytes[15], 1);
    });
}

#[test]
fn without_a_visible_device_there_is_no_driver() {
    Play::new().env("CUDA_VISIBLE_DEVICES", "").run(|scene| {
        assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::NO_DEVICE);
        let mut count = 0;
        assert_eq!(call!(scene.cuda, cuDeviceGetCount(&raw mut count)), CUresult::NOT_INITIALIZED);
    });
}

#[test]
fn the_variable_is_read_once() {
    Play::new().devices(2).run(|scene| {
        let scene = scene.initialised();
        // SAFETY: the test runs alone in its process.
        unsafe { std::env::set_var("CUDA_VISIBLE_DEVICES", "1") };
        assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SUCCESS);
        assert_eq!(buses(&scene), [0, 1]);
    });
}

#[test]
fn an_ordinal_beyond_the_visible_ones_is_refused() {
    Play::new().devices(2).env("CUDA_VISIBLE_DEVICES", "1").run(|scene| {
        let scene = scene.initialised();
        let mut device = 9;
        for ordinal in [-1, 1] {
            assert_eq!(call!(scene.cuda, cuDeviceGet(&raw mut device, ordinal)), CUresult::INVALID_DEVICE);
        }
        assert_eq!(device, 9);
        assert_eq!(get!(scene.cuda, cuDeviceGet(_, 0)), 0);
    });
}
