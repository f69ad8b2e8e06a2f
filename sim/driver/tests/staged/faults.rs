//! Scripted faults.

use cuda_sys::{CUcontext, CUresult};

use crate::cuda::{call, get};
use crate::scene::Play;

#[test]
fn the_scripted_call_fails_and_does_nothing() {
    Play::new().env("VGPU_SIM_FAULTS", "cuMemAlloc_v2:2=2,cuCtxCreate_v3:*=2").run(|scene| {
        let (scene, _) = scene.with_context();
        let mut address = 0;
        let mut allocate = || call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 1));
        let codes = [allocate(), allocate(), allocate()];
        assert_eq!(codes, [CUresult::SUCCESS, CUresult::OUT_OF_MEMORY, CUresult::SUCCESS]);
        assert_eq!(scene.truth().granted, 2);
        let (mut context, none) = (CUcontext(std::ptr::null_mut()), std::ptr::null_mut());
        for _ in 0..2 {
            let code = call!(scene.cuda, cuCtxCreate_v3(&raw mut context, none, 0, 0, 0));
            assert_eq!(code, CUresult::OUT_OF_MEMORY);
        }
    });
}

#[test]
fn what_a_late_call_does_is_seen_before_it_returns() {
    Play::new().env("VGPU_SIM_FAULTS", "cuMemAlloc_v2:1=late:300").run(|scene| {
        let scene = scene.initialised();
        std::thread::scope(|scope| {
            let allocating = scope.spawn(|| {
                scene.create_context(0);
                let _: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 20));
            });
            while scene.truth().requested.0 == 0 {
                assert!(!allocating.is_finished(), "it returned before anybody saw what it did");
                std::thread::yield_now();
            }
            assert!(!allocating.is_finished());
        });
    });
}

#[test]
fn an_error_that_outlives_its_call_stays_with_the_context_until_it_is_destroyed() {
    Play::new().env("VGPU_SIM_FAULTS", "cuMemFree_v2:1=700").run(|scene| {
        let (scene, context) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 20));
        let mut second = 0;
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::ILLEGAL_ADDRESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::ILLEGAL_ADDRESS);
        assert_eq!(call!(scene.cuda, cuMemAlloc_v2(&raw mut second, 1)), CUresult::ILLEGAL_ADDRESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::ILLEGAL_ADDRESS);
        assert_eq!(scene.truth().requested.0, 1 << 20, "the memory stays until the context goes");
        assert!(get!(scene.cuda, cuDriverGetVersion(_)) > 12_000);
        assert_eq!(get!(scene.cuda, cuDeviceGetCount(_)), 1);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        scene.create_context(0);
        let _: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1));
    });
}

#[test]
fn a_malformed_script_stops_the_program_at_its_start() {
    Play::new().env("VGPU_SIM_FAULTS", "cuMemAlloc_v2=2").run(|scene| {
        assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SYSTEM_NOT_READY);
    });
}

#[test]
fn a_malformed_duration_stops_the_program_at_its_start() {
    Play::new().env("VGPU_SIM_KERNEL_DEFAULT_US", "fast").run(|scene| {
        assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SYSTEM_NOT_READY);
    });
}
