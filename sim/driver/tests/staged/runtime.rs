//! Memory that nobody asks for by size: code, stacks, the heap of kernels, the buffer for what they print.

use std::ffi::CStr;
use std::ptr::null_mut;

use cuda_sys::{CUfunction, CUlibrary, CUlimit, CUmodule, CUmoduleLoadingMode, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const MIB: u64 = 1 << 20;
/// Threads that the default card runs at once.
const THREADS: u64 = 132 * 2048;

/// 10 MiB of code; a kernel with more local memory than a stack, and one that calls `malloc`.
const CODE: &CStr = c"SIMKERN v1\ncode=10485760\nname=plain\nname=deep local=3072\n";
const HEAP: &CStr = c"SIMKERN v1\nname=allocates heap=1\n";

fn load(scene: &Scene, image: &CStr) -> CUmodule {
    get!(scene.cuda, cuModuleLoadData(_, image.as_ptr().cast()))
}

fn function(scene: &Scene, module: CUmodule, name: &CStr) -> CUfunction {
    get!(scene.cuda, cuModuleGetFunction(_, module, name.as_ptr()))
}

fn launch(scene: &Scene, kernel: CUfunction) -> CUresult {
    scene.cuda.launch(kernel, CUstream(null_mut()))
}

fn set(scene: &Scene, limit: CUlimit, value: u64) -> CUresult {
    call!(scene.cuda, cuCtxSetLimit(limit, usize::try_from(value).unwrap()))
}

/// Bytes of code and of runtime memory, of which the device has whole chunks.
fn taken(scene: &Scene) -> (u64, u64) {
    let truth = scene.truth();
    assert!(truth.resident.0 >= truth.overhead.0 + truth.code.0 + truth.runtime.0);
    (truth.code.0, truth.runtime.0)
}

#[test]
fn code_comes_with_its_first_use_and_goes_with_its_module() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let module = load(&scene, CODE);
        assert_eq!(taken(&scene).0, 0);
        for _ in 0..2 {
            function(&scene, module, c"plain");
            assert_eq!(taken(&scene).0, 10 * MIB);
        }
        assert_eq!(call!(scene.cuda, cuModuleUnload(module)), CUresult::SUCCESS);
        assert_eq!(scene.truth().resident, scene.truth().overhead);
    });
}

#[test]
fn code_comes_at_once_where_the_environment_says_so() {
    Play::new().env("CUDA_MODULE_LOADING", "EAGER").run(|scene| {
        let (scene, context) = scene.with_context();
        let mode: CUmoduleLoadingMode = get!(scene.cuda, cuModuleGetLoadingMode(_));
        assert_eq!(mode, CUmoduleLoadingMode::EAGER_LOADING);
        load(&scene, CODE);
        assert_eq!(taken(&scene).0, 10 * MIB);
        let (image, none) = (CODE.as_ptr().cast(), null_mut());
        let library: CUlibrary =
            get!(scene.cuda, cuLibraryLoadData(_, image, null_mut(), null_mut(), 0, null_mut(), none, 0));
        assert_eq!(taken(&scene).0, 20 * MIB);
        let other = scene.create_context(0);
        assert_eq!(taken(&scene).0, 30 * MIB, "a library comes to every context");
        assert_eq!(call!(scene.cuda, cuLibraryUnload(library)), CUresult::SUCCESS);
        assert_eq!(taken(&scene).0, 10 * MIB);
        for context in [other, context] {
            assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        }
        assert_eq!(scene.truth().resident.0, 0);
    });
}

#[test]
fn a_driver_of_branch_470_loads_code_at_once() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        load(&scene, CODE);
        assert_eq!(taken(&scene).0 > 0, scene.branch == "470");
    });
}

#[test]
fn code_that_finds_no_room_is_not_loaded() {
    Play::new().env("CUDA_MODULE_LOADING", "EAGER").run(|scene| {
        let (scene, _) = scene.with_context();
        let (mut free, mut total) = (0, 0);
        assert_eq!(call!(scene.cuda, cuMemGetInfo_v2(&raw mut free, &raw mut total)), CUresult::SUCCESS);
        let _all: u64 = get!(scene.cuda, cuMemAlloc_v2(_, free));
        let mut module = CUmodule(null_mut());
        let code = call!(scene.cuda, cuModuleLoadData(&raw mut module, CODE.as_ptr().cast()));
        assert_eq!(code, CUresult::OUT_OF_MEMORY);
        let code = call!(scene.cuda, cuModuleLoadData(&raw mut module, HEAP.as_ptr().cast()));
        assert_eq!(code, CUresult::SHARED_OBJECT_INIT_FAILED);
        assert_eq!(set(&scene, CUlimit::STACK_SIZE, 2048), CUresult::OUT_OF_MEMORY);
    });
}

#[test]
fn stacks_are_there_for_every_thread_that_the_device_can_run() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        assert_eq!(set(&scene, CUlimit::STACK_SIZE, 2048), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 1024 * THREADS);
        let module = load(&scene, CODE);
        assert_eq!(launch(&scene, function(&scene, module, c"plain")), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 1024 * THREADS);
        assert_eq!(launch(&scene, function(&scene, module, c"deep")), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 2048 * THREADS, "a kernel with more local memory makes them grow");
        assert_eq!(set(&scene, CUlimit::STACK_SIZE, 512), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 0);
    });
}

#[test]
fn the_heap_comes_with_the_first_module_that_needs_it() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        assert_eq!(set(&scene, CUlimit::MALLOC_HEAP_SIZE, 64 * MIB), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 0);
        let module = load(&scene, HEAP);
        assert_eq!(taken(&scene).1, 64 * MIB);
        load(&scene, HEAP);
        assert_eq!(taken(&scene).1, 64 * MIB);
        assert_eq!(set(&scene, CUlimit::MALLOC_HEAP_SIZE, 128 * MIB), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuModuleUnload(module)), CUresult::SUCCESS);
        assert_eq!(set(&scene, CUlimit::PRINTF_FIFO_SIZE, 33 * MIB), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 96 * MIB);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        assert_eq!(taken(&scene).1, 0);
    });
}
