//! Green contexts.

use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_sys::{CUcontext, CUdevResource, CUdevResourceDesc, CUgreenCtx, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

/// Those that have them, and streams of them.
const BRANCHES: &[&str] = &["570", "615"];
/// `CU_DEV_RESOURCE_TYPE_SM`
const MULTIPROCESSORS: u32 = 1;

fn device(scene: &Scene) -> CUdevResource {
    let mut whole = MaybeUninit::uninit();
    let code = call!(scene.cuda, cuDeviceGetDevResource(0, whole.as_mut_ptr(), MULTIPROCESSORS));
    assert_eq!(code, CUresult::SUCCESS);
    // SAFETY: the call succeeded, so it filled the place.
    unsafe { whole.assume_init() }
}

fn green(scene: &Scene) -> CUgreenCtx {
    let mut whole = device(scene);
    let desc: CUdevResourceDesc = get!(scene.cuda, cuDevResourceGenerateDesc(_, &raw mut whole, 1));
    get!(scene.cuda, cuGreenCtxCreate(_, desc, 0, 1))
}

#[test]
fn a_device_is_split_into_parts_of_whole_groups() {
    Play::on(BRANCHES).run(|scene| {
        let scene = scene.initialised();
        let whole = device(&scene);
        assert_eq!(whole.sm.smCount, 132);
        let (mut parts, mut rest, mut count) = ([whole; 4], whole, 4);
        let (place, left) = (parts.as_mut_ptr(), &raw mut rest);
        let code = call!(
            scene.cuda,
            cuDevSmResourceSplitByCount(place, &raw mut count, &raw const whole, left, 0, 30)
        );
        assert_eq!((code, count, parts[3].sm.smCount, rest.sm.smCount), (CUresult::SUCCESS, 4, 32, 4));
        let code = call!(
            scene.cuda,
            cuDevSmResourceSplitByCount(null_mut(), &raw mut count, &raw const whole, null_mut(), 0, 133)
        );
        assert_eq!(code, CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_green_context_keeps_the_primary_one_alive_and_shares_its_memory() {
    Play::on(BRANCHES).run(|scene| {
        let scene = scene.initialised();
        let greens = [(); 2].map(|()| green(&scene));
        let truth = scene.truth();
        assert_eq!((truth.contexts, truth.runtime.0), (1, 8 << 20));
        let view: CUcontext = get!(scene.cuda, cuCtxFromGreenCtx(_, greens[0]));
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(view)), CUresult::SUCCESS);
        let memory: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 4096));
        let stream: CUstream = get!(scene.cuda, cuGreenCtxStreamCreate(_, greens[0], 1, 0));
        let mut of = CUgreenCtx(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamGetGreenCtx(stream, &raw mut of)), CUresult::SUCCESS);
        assert_eq!(of.0, greens[0].0);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(view)), CUresult::INVALID_CONTEXT);
        assert_eq!(call!(scene.cuda, cuGreenCtxDestroy(greens[0])), CUresult::SUCCESS);
        assert_eq!((scene.truth().contexts, scene.truth().requested.0), (1, 4096));
        let other: CUcontext = get!(scene.cuda, cuCtxFromGreenCtx(_, greens[1]));
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(other)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(memory)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuGreenCtxDestroy(greens[1])), CUresult::SUCCESS);
        assert_eq!(scene.truth().resident.0, 0);
        assert_eq!(call!(scene.cuda, cuGreenCtxDestroy(greens[1])), CUresult::INVALID_CONTEXT);
    });
}

#[test]
fn a_reset_of_the_primary_context_ends_what_green_ones_have() {
    Play::on(BRANCHES).run(|scene| {
        let scene = scene.initialised();
        let made = green(&scene);
        let view: CUcontext = get!(scene.cuda, cuCtxFromGreenCtx(_, made));
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(view)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuDevicePrimaryCtxReset_v2(0)), CUresult::SUCCESS);
        assert_eq!(scene.truth().resident.0, 0);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::CONTEXT_IS_DESTROYED);
        assert_eq!(call!(scene.cuda, cuGreenCtxDestroy(made)), CUresult::SUCCESS);
    });
}
