//! Contexts and primary contexts.

use cuda_sys::{CUcontext, CUlimit, CUresult};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const NONE: CUcontext = CUcontext(std::ptr::null_mut());

fn current(scene: &Scene) -> CUcontext {
    get!(scene.cuda, cuCtxGetCurrent(_))
}

fn is_active(scene: &Scene) -> bool {
    let (mut flags, mut active) = (9, 9);
    let code = call!(scene.cuda, cuDevicePrimaryCtxGetState(0, &raw mut flags, &raw mut active));
    assert_eq!((code, flags), (CUresult::SUCCESS, 0));
    active == 1
}

#[test]
fn a_context_takes_its_overhead_and_gives_it_back() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        assert_eq!(scene.truth().overhead.0, 426 << 20);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        assert_eq!((scene.truth().overhead.0, scene.truth().contexts), (0, 0));
        assert_eq!(current(&scene), NONE);
    });
}

#[test]
fn creation_checks_its_arguments_and_makes_nothing() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let mut context = NONE;
        for (flags, device, code) in [(0, 1, 101), (0, -1, 101), (0x100, 0, 1), (3, 0, 1)] {
            let given = call!(scene.cuda, cuCtxCreate_v2(&raw mut context, flags, device));
            assert_eq!(given, CUresult(code), "{flags} {device}");
        }
        let nowhere = std::ptr::null_mut();
        assert_eq!(call!(scene.cuda, cuCtxCreate_v2(nowhere, 0, 0)), CUresult::INVALID_VALUE);
        assert_eq!((context, scene.truth().contexts), (NONE, 0));
    });
}

#[test]
fn the_versions_of_creation_differ_in_the_version_that_the_context_tells() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let none = std::ptr::null_mut();
        let old: CUcontext = get!(scene.cuda, cuCtxCreate(_, 0, 0));
        let new: CUcontext = get!(scene.cuda, cuCtxCreate_v3(_, none, 0, 0, 0));
        let version = |context: CUcontext| {
            let mut version = 0;
            assert_eq!(call!(scene.cuda, cuCtxGetApiVersion(context, &raw mut version)), CUresult::SUCCESS);
            version
        };
        assert_eq!((version(old), version(new), version(NONE)), (3010, 3020, 3020));
    });
}

#[test]
fn contexts_are_a_stack() {
    Play::new().run(|scene| {
        let (scene, first) = scene.with_context();
        let second = scene.create_context(0);
        assert_eq!(current(&scene), second);
        assert_eq!(get!(scene.cuda, cuCtxPopCurrent_v2(_)), second);
        assert_eq!(current(&scene), first);
        assert_eq!(call!(scene.cuda, cuCtxPushCurrent_v2(second)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(first)), CUresult::SUCCESS);
        assert_eq!(get!(scene.cuda, cuCtxPopCurrent_v2(_)), first);
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(NONE)), CUresult::SUCCESS);
        assert_eq!(current(&scene), NONE);
        let nowhere = std::ptr::null_mut();
        assert_eq!(call!(scene.cuda, cuCtxPopCurrent_v2(nowhere)), CUresult::INVALID_CONTEXT);
        let mut device = 9;
        assert_eq!(call!(scene.cuda, cuCtxGetDevice(&raw mut device)), CUresult::INVALID_CONTEXT);
        assert_eq!(device, 9);
    });
}

#[test]
fn an_unknown_or_destroyed_context_cannot_be_made_current_or_destroyed() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        for handle in [context, NONE, CUcontext(std::ptr::without_provenance_mut(0xdead))] {
            assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(handle)), CUresult::INVALID_CONTEXT);
            assert_eq!(call!(scene.cuda, cuCtxPushCurrent_v2(handle)), CUresult::INVALID_CONTEXT);
        }
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(context)), CUresult::INVALID_CONTEXT);
    });
}

#[test]
fn the_last_detach_destroys() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        assert_eq!(get!(scene.cuda, cuCtxAttach(_, 0)), context);
        assert_eq!(call!(scene.cuda, cuCtxDetach(context)), CUresult::SUCCESS);
        assert_eq!(scene.truth().contexts, 1);
        assert_eq!(call!(scene.cuda, cuCtxDetach(context)), CUresult::SUCCESS);
        assert_eq!((scene.truth().contexts, current(&scene)), (0, NONE));
        assert_eq!(call!(scene.cuda, cuCtxDetach(context)), CUresult::INVALID_CONTEXT);
    });
}

#[test]
fn a_primary_context_cannot_be_detached() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let context: CUcontext = get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0));
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(context)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxDetach(context)), CUresult::INVALID_CONTEXT);
        assert!(is_active(&scene));
    });
}

#[test]
fn a_primary_context_lives_from_the_first_retain_to_the_last_release() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        assert!(!is_active(&scene));
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxRelease_v2(0)), CUresult::INVALID_CONTEXT);
        let first: CUcontext = get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0));
        let second: CUcontext = get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0));
        assert_eq!((first, scene.truth().contexts), (second, 1));
        assert_eq!(current(&scene), NONE, "a retain makes nothing current");
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxRelease_v2(0)), CUresult::SUCCESS);
        assert!(is_active(&scene));
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxRelease_v2(0)), CUresult::SUCCESS);
        assert!(!is_active(&scene));
        assert_eq!(scene.truth().contexts, 0);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(first)), CUresult::INVALID_CONTEXT);
    });
}

#[test]
fn a_reset_destroys_the_primary_context_and_drops_no_reference() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let context: CUcontext = get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0));
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(context)), CUresult::SUCCESS);
        let _: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 20));
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxReset_v2(0)), CUresult::SUCCESS);
        assert!(!is_active(&scene));
        assert_eq!(scene.truth().resident.0, 0);
        let mut address = 0;
        let code = call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 1));
        assert_eq!((code, address), (CUresult::CONTEXT_IS_DESTROYED, 0));
        assert_eq!(get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0)), context);
        let _: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 20));
        for _ in 0..2 {
            assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxRelease_v2(0)), CUresult::SUCCESS);
        }
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxRelease_v2(0)), CUresult::INVALID_CONTEXT);
    });
}

#[test]
fn flags_and_limits_are_what_they_were_set_to() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxSetFlags_v2(0, 0x100)), CUresult::INVALID_VALUE);
        let _: CUcontext = get!(scene.cuda, cuCtxCreate_v2(_, 4, 0));
        let flags: u32 = get!(scene.cuda, cuCtxGetFlags(_));
        assert_eq!(flags, 4);
        assert_eq!(call!(scene.cuda, cuCtxSetLimit(CUlimit::STACK_SIZE, 4096)), CUresult::SUCCESS);
        assert_eq!(get!(scene.cuda, cuCtxGetLimit(_, CUlimit::STACK_SIZE)), 4096_usize);
        assert_eq!(call!(scene.cuda, cuCtxSetLimit(CUlimit(99), 1)), CUresult::UNSUPPORTED_LIMIT);
    });
}
