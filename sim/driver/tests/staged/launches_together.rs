//! Cooperative launches on several devices at once.

use std::ptr::null_mut;

use cuda_sys::{CUDA_LAUNCH_PARAMS, CUcontext, CUfunction, CUmodule, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const IMAGE: &std::ffi::CStr = c"SIMKERN v1\nname=k dur_us=1000\nname=long dur_us=50000";

/// A launch in a stream of its own on `device`, behind a kernel of 50 ms if `busy`.
fn part(scene: &Scene, device: i32, busy: bool) -> CUDA_LAUNCH_PARAMS {
    scene.create_context(device);
    let module: CUmodule = get!(scene.cuda, cuModuleLoadData(_, IMAGE.as_ptr().cast()));
    let kernel = |name: &std::ffi::CStr| -> CUfunction {
        get!(scene.cuda, cuModuleGetFunction(_, module, name.as_ptr()))
    };
    let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
    if busy {
        assert_eq!(scene.cuda.launch(kernel(c"long"), stream), CUresult::SUCCESS);
    }
    CUDA_LAUNCH_PARAMS {
        function: kernel(c"k"),
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        kernelParams: null_mut(),
    }
}

#[test]
fn they_begin_when_all_streams_have_come_to_them() {
    Play::new().devices(2).run(|scene| {
        let scene = scene.initialised();
        for (flags, waits) in [(0, true), (3, false)] {
            let mut parts = [part(&scene, 0, true), part(&scene, 1, false)];
            let code = call!(scene.cuda, cuLaunchCooperativeKernelMultiDevice(parts.as_mut_ptr(), 2, flags));
            assert_eq!(code, CUresult::SUCCESS);
            let free = parts[1].hStream;
            std::thread::sleep(std::time::Duration::from_millis(10));
            let code = call!(scene.cuda, cuStreamQuery(free));
            assert!(code == CUresult::SUCCESS || waits, "{flags}: {code:?}");
            assert_eq!(call!(scene.cuda, cuStreamSynchronize(free)), CUresult::SUCCESS);
            let before = call!(scene.cuda, cuStreamQuery(parts[0].hStream));
            assert!(before == CUresult::SUCCESS || !waits, "{flags}: {before:?}");
            assert_eq!(call!(scene.cuda, cuStreamSynchronize(parts[0].hStream)), CUresult::SUCCESS);
        }
    });
}

#[test]
fn launches_that_differ_or_share_a_device_are_refused() {
    Play::new().devices(2).run(|scene| {
        let scene = scene.initialised();
        let launch = |mut parts: [CUDA_LAUNCH_PARAMS; 2]| {
            call!(scene.cuda, cuLaunchCooperativeKernelMultiDevice(parts.as_mut_ptr(), 2, 0))
        };
        let parts = [part(&scene, 0, false), part(&scene, 1, false)];
        assert_eq!(launch([parts[0]; 2]), CUresult::INVALID_VALUE);
        let mut other = parts[1];
        other.gridDimX = 2;
        assert_eq!(launch([parts[0], other]), CUresult::INVALID_VALUE);
        let mut default = parts[1];
        default.hStream = CUstream(null_mut());
        assert_eq!(launch([parts[0], default]), CUresult::INVALID_HANDLE);
        assert_eq!(launch(parts), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSetCurrent(CUcontext(null_mut()))), CUresult::SUCCESS);
    });
}
