//! Contexts and memory among threads.

use std::sync::Barrier;

use cuda_sys::{CUcontext, CUresult};

use crate::cuda::{call, get};
use crate::scene::Play;

const NONE: CUcontext = CUcontext(std::ptr::null_mut());

/// A handle is a number: any thread may use it.
#[derive(Clone, Copy)]
struct Shared(usize);

impl Shared {
    fn new(context: CUcontext) -> Self {
        Self(context.0.addr())
    }

    fn context(self) -> CUcontext {
        CUcontext(std::ptr::without_provenance_mut(self.0))
    }
}

#[test]
fn a_context_destroyed_by_another_thread_is_dead_where_it_is_current() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        let shared = Shared::new(context);
        std::thread::scope(|threads| {
            let destroy =
                || assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(shared.context())), CUresult::SUCCESS);
            threads.spawn(destroy).join().unwrap();
        });
        let mut address = 0;
        let code = call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 1));
        assert_eq!((code, address), (CUresult::CONTEXT_IS_DESTROYED, 0));
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::CONTEXT_IS_DESTROYED);
        assert_eq!(get!(scene.cuda, cuCtxGetCurrent(_)), context);
        assert_eq!(get!(scene.cuda, cuCtxPopCurrent_v2(_)), context);
        assert_eq!(get!(scene.cuda, cuCtxGetCurrent(_)), NONE);
    });
}

#[test]
fn threads_that_start_together_share_one_driver_and_one_primary_context() {
    Play::new().run(|scene| {
        let barrier = Barrier::new(8);
        let start = || {
            barrier.wait();
            assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SUCCESS);
            let context: CUcontext = get!(scene.cuda, cuDevicePrimaryCtxRetain(_, 0));
            assert_eq!(call!(scene.cuda, cuCtxSetCurrent(context)), CUresult::SUCCESS);
            Shared::new(context).0
        };
        let handles: Vec<_> = std::thread::scope(|threads| {
            let started: Vec<_> = (0..8).map(|_| threads.spawn(start)).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(handles.iter().all(|handle| *handle == handles[0]));
        assert_eq!(scene.truth().contexts, 1);
    });
}

#[test]
fn threads_that_allocate_and_free_never_get_the_same_memory() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        let shared = Shared::new(context);
        let work = |thread: u8| {
            assert_eq!(call!(scene.cuda, cuCtxSetCurrent(shared.context())), CUresult::SUCCESS);
            for round in 0..50_usize {
                // Small ones share slabs, large ones have chunks of their own.
                let bytes = if round % 5 == 0 { 3 << 20 } else { 100 };
                let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, bytes));
                assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, thread, 100)), CUresult::SUCCESS);
                let mut back = [0_u8; 100];
                let code = call!(scene.cuda, cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, 100));
                assert_eq!((code, back), (CUresult::SUCCESS, [thread; 100]));
                assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
            }
        };
        let work = &work;
        std::thread::scope(|threads| {
            for thread in 0..4 {
                threads.spawn(move || work(thread));
            }
        });
        let truth = scene.truth();
        assert_eq!((truth.requested.0, truth.granted, truth.allocations), (0, 200, 0));
    });
}
