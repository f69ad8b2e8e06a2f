//! Modules and launches.

use std::ffi::{CStr, c_void};
use std::time::{Duration, Instant};

use cuda_sys::{CUfunction, CUfunction_attribute as Attribute, CUlaunchConfig, CUmodule, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const DEFAULT: CUstream = CUstream(std::ptr::null_mut());
const NONE: *mut *mut c_void = std::ptr::null_mut();

fn load(scene: &Scene, image: &CStr) -> CUmodule {
    get!(scene.cuda, cuModuleLoadData(_, image.as_ptr().cast()))
}

fn kernel(scene: &Scene, image: &CStr) -> CUfunction {
    let module = load(scene, image);
    get!(scene.cuda, cuModuleGetFunction(_, module, c"k".as_ptr()))
}

/// A module with a kernel of every default.
const ANY: &CStr = c"SIMKERN v1\nname=k";

type Dimensions = (u32, u32, u32);

fn launch(scene: &Scene, kernel: CUfunction, grid: Dimensions, block: Dimensions) -> CUresult {
    let ((gx, gy, gz), (bx, by, bz)) = (grid, block);
    call!(scene.cuda, cuLaunchKernel(kernel, gx, gy, gz, bx, by, bz, 0, DEFAULT, NONE, NONE))
}

/// How long the device was busy with what `work` queues.
fn busy(scene: &Scene, work: impl FnOnce()) -> Duration {
    let before = scene.truth().busy.0;
    work();
    assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
    Duration::from_nanos(scene.truth().busy.0 - before)
}

#[test]
fn a_launch_does_not_wait_for_the_kernel() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let hour = kernel(&scene, c"SIMKERN v1\nname=k dur_us=3600000000\n");
        assert_eq!(launch(&scene, hour, (1, 1, 1), (1, 1, 1)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamQuery(DEFAULT)), CUresult::NOT_READY);
    });
}

#[test]
fn a_wait_lasts_as_long_as_the_kernel() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"SIMKERN v1\nname=k dur_us=100000\n");
        let start = Instant::now();
        assert_eq!(launch(&scene, kernel, (1, 1, 1), (1, 1, 1)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(DEFAULT)), CUresult::SUCCESS);
        assert!(start.elapsed() >= Duration::from_millis(100));
        assert_eq!(call!(scene.cuda, cuStreamQuery(DEFAULT)), CUresult::SUCCESS);
        assert_eq!(scene.truth().kernels, 1);
    });
}

#[test]
fn a_grid_that_fills_the_device_twice_takes_twice_as_long() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"SIMKERN v1\nname=k dur_us=1000\n");
        let run = |blocks| {
            busy(&scene, || {
                assert_eq!(launch(&scene, kernel, (blocks, 1, 1), (1024, 1, 1)), CUresult::SUCCESS)
            })
        };
        assert_eq!(run(264), Duration::from_millis(1));
        assert_eq!(run(265), Duration::from_millis(2));
    });
}

#[test]
fn one_launch_may_say_what_it_does() {
    #[repr(C)]
    struct SimArgs(u64, u64, u32, u32);
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"SIMKERN v1\nname=k dur_us=1 param0=simargs\n");
        let run = |mut args: SimArgs| {
            let mut parameters = [(&raw mut args).cast::<c_void>()];
            let first = parameters.as_mut_ptr();
            call!(scene.cuda, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, DEFAULT, first, NONE))
        };
        let args = SimArgs(0x5349_4D4B_4552_4E31, 3_000_000, 1000, 0);
        assert_eq!(busy(&scene, || assert_eq!(run(args), CUresult::SUCCESS)), Duration::from_millis(3));
        assert_eq!(run(SimArgs(0, 3_000_000, 1000, 0)), CUresult::INVALID_VALUE);
        assert_eq!(launch(&scene, kernel, (1, 1, 1), (1, 1, 1)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_kernel_for_real_devices_takes_the_default_duration() {
    Play::new().env("VGPU_SIM_KERNEL_DEFAULT_US", "2500").run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c".version 8.0\n.target sm_90\n.entry k() { ret; }");
        let took =
            busy(&scene, || assert_eq!(launch(&scene, kernel, (1, 1, 1), (1, 1, 1)), CUresult::SUCCESS));
        assert_eq!(took, Duration::from_micros(2500));
        let registers: i32 = get!(scene.cuda, cuFuncGetAttribute(_, Attribute::NUM_REGS, kernel));
        assert!(registers > 0);
    });
}

#[test]
fn a_shape_that_no_device_takes_is_refused() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, ANY);
        for (grid, block) in [((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1, 0, 1)), ((1, 1, 1), (1024, 2, 1))] {
            assert_eq!(launch(&scene, kernel, grid, block), CUresult::INVALID_VALUE);
        }
        let shared = 48 * 1024 + 1;
        let run = || call!(scene.cuda, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, shared, DEFAULT, NONE, NONE));
        assert_eq!(run(), CUresult::INVALID_VALUE);
        let most = Attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(call!(scene.cuda, cuFuncSetAttribute(kernel, most, 64 * 1024)), CUresult::SUCCESS);
        assert_eq!(run(), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        assert_eq!(scene.truth().kernels, 1);
    });
}

#[test]
fn blocks_that_wait_for_each_other_must_fit_the_device_together() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, ANY);
        let run = |blocks| {
            call!(scene.cuda, cuLaunchCooperativeKernel(kernel, blocks, 1, 1, 1024, 1, 1, 0, DEFAULT, NONE))
        };
        assert_eq!(run(264), CUresult::SUCCESS);
        assert_eq!(run(265), CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
    });
}

#[test]
fn a_configuration_and_the_calls_of_api_2_0_launch_as_well() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, ANY);
        let config = CUlaunchConfig {
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 32,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: DEFAULT,
            attrs: std::ptr::null_mut(),
            numAttrs: 0,
        };
        let from_config = call!(scene.cuda, cuLaunchKernelEx(&raw const config, kernel, NONE, NONE));
        assert_eq!(from_config, CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuFuncSetBlockShape(kernel, 32, 1, 1)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuLaunchGrid(kernel, 2, 2)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuLaunch(kernel)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        assert_eq!(scene.truth().kernels, 3);
    });
}

#[test]
fn kernels_go_with_their_module() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let module = load(&scene, c"SIMKERN v1\nname=k\n");
        let kernel: CUfunction = get!(scene.cuda, cuModuleGetFunction(_, module, c"k".as_ptr()));
        assert_eq!(get!(scene.cuda, cuModuleGetFunction(_, module, c"k".as_ptr())), kernel);
        let mut other = kernel;
        let code = call!(scene.cuda, cuModuleGetFunction(&raw mut other, module, c"other".as_ptr()));
        assert_eq!((code, other), (CUresult::NOT_FOUND, kernel));
        assert_eq!(call!(scene.cuda, cuModuleUnload(module)), CUresult::SUCCESS);
        assert_eq!(launch(&scene, kernel, (1, 1, 1), (1, 1, 1)), CUresult::INVALID_HANDLE);
        assert_eq!(call!(scene.cuda, cuModuleUnload(module)), CUresult::INVALID_HANDLE);
    });
}

#[test]
fn a_module_with_a_mistake_and_one_that_is_not_there_are_errors() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut module = CUmodule(std::ptr::null_mut());
        let wrong = c"SIMKERN v1\nname=k speed=9\n".as_ptr().cast::<c_void>();
        assert_eq!(call!(scene.cuda, cuModuleLoadData(&raw mut module, wrong)), CUresult::INVALID_IMAGE);
        let nothing = std::ptr::null::<c_void>();
        assert_eq!(call!(scene.cuda, cuModuleLoadData(&raw mut module, nothing)), CUresult::INVALID_VALUE);
        let path = c"/nonexistent.cubin".as_ptr();
        assert_eq!(call!(scene.cuda, cuModuleLoad(&raw mut module, path)), CUresult::FILE_NOT_FOUND);
        assert_eq!(module, CUmodule(std::ptr::null_mut()));
    });
}

#[test]
fn a_kernel_of_another_context_cannot_be_launched() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, ANY);
        scene.create_context(0);
        assert_eq!(launch(&scene, kernel, (1, 1, 1), (1, 1, 1)), CUresult::INVALID_HANDLE);
    });
}
