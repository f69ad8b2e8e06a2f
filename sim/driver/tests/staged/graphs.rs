//! Captures and graphs.

use std::ptr::null_mut;

use cuda_sys::{
    CUfunction, CUgraph, CUgraphExec, CUmodule, CUresult, CUstream, CUstreamCaptureMode,
    CUstreamCaptureStatus,
};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const LEGACY: CUstream = CUstream(null_mut());
const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::RELAXED;

fn status(scene: &Scene, stream: CUstream) -> CUstreamCaptureStatus {
    let mut status = CUstreamCaptureStatus(9);
    assert_eq!(call!(scene.cuda, cuStreamIsCapturing(stream, &raw mut status)), CUresult::SUCCESS);
    status
}

fn kernel(scene: &Scene) -> CUfunction {
    let module: CUmodule =
        get!(scene.cuda, cuModuleLoadData(_, c"SIMKERN v1\nname=k dur_us=5".as_ptr().cast()));
    get!(scene.cuda, cuModuleGetFunction(_, module, c"k".as_ptr()))
}

#[test]
fn what_is_captured_happens_at_each_launch_and_not_before() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (kernel, stream): (_, CUstream) = (kernel(&scene), get!(scene.cuda, cuStreamCreate(_, 1)));
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 16));
        let mut back = [0_u8; 16];
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, 1, 16)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, RELAXED)), CUresult::SUCCESS);
        assert_eq!(status(&scene, stream), CUstreamCaptureStatus::ACTIVE);
        assert_eq!(scene.cuda.launch(kernel, stream), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemsetD8Async(address, 7, 16, stream)), CUresult::SUCCESS);
        let place = back.as_mut_ptr().cast();
        assert_eq!(call!(scene.cuda, cuMemcpyDtoHAsync_v2(place, address, 16, stream)), CUresult::SUCCESS);
        let mut graph = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph)), CUresult::SUCCESS);
        assert_eq!((status(&scene, stream), back), (CUstreamCaptureStatus::NONE, [0; 16]));
        let exec: CUgraphExec = get!(scene.cuda, cuGraphInstantiateWithFlags(_, graph, 0));
        assert_eq!(call!(scene.cuda, cuGraphDestroy(graph)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
        assert_eq!(scene.truth().kernels, 0);
        for _ in 0..3 {
            assert_eq!(call!(scene.cuda, cuGraphLaunch(exec, stream)), CUresult::SUCCESS);
        }
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
        assert_eq!((scene.truth().kernels, back), (3, [7; 16]));
        assert_eq!(call!(scene.cuda, cuGraphExecDestroy(exec)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuGraphLaunch(exec, stream)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn what_a_graph_cannot_hold_breaks_its_capture_off() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        let calls: [(&dyn Fn() -> CUresult, CUresult); 2] = [
            (&|| call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::STREAM_CAPTURE_UNSUPPORTED),
            (&|| call!(scene.cuda, cuStreamQuery(stream)), CUresult::STREAM_CAPTURE_UNSUPPORTED),
        ];
        for (forbidden, answer) in calls {
            assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, RELAXED)), CUresult::SUCCESS);
            assert_eq!(forbidden(), answer);
            assert_eq!(status(&scene, stream), CUstreamCaptureStatus::INVALIDATED);
            let mut graph = CUgraph(std::ptr::dangling_mut());
            let code = call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph));
            assert_eq!((code, graph), (CUresult::STREAM_CAPTURE_INVALIDATED, CUgraph(null_mut())));
        }
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
    });
}

#[test]
fn the_legacy_stream_cannot_capture_and_a_capture_begins_and_ends_once() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let begin = |stream| call!(scene.cuda, cuStreamBeginCapture_v2(stream, RELAXED));
        assert_eq!(begin(LEGACY), CUresult::STREAM_CAPTURE_UNSUPPORTED);
        assert_eq!(status(&scene, LEGACY), CUstreamCaptureStatus::NONE);
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 0));
        assert_eq!((begin(stream), begin(stream)), (CUresult::SUCCESS, CUresult::ILLEGAL_STATE));
        let mut graph = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph)), CUresult::SUCCESS);
        let code = call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph));
        assert_eq!(code, CUresult::ILLEGAL_STATE);
    });
}

#[test]
fn the_graph_of_a_capture_is_known_while_it_is_captured() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, RELAXED)), CUresult::SUCCESS);
        let (mut status, mut id, mut graph) = (CUstreamCaptureStatus(9), 0, CUgraph(null_mut()));
        let none = null_mut();
        let code = call!(
            scene.cuda,
            cuStreamGetCaptureInfo_v2(stream, &raw mut status, &raw mut id, &raw mut graph, none, null_mut())
        );
        assert_eq!((code, status), (CUresult::SUCCESS, CUstreamCaptureStatus::ACTIVE));
        let mut ended = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut ended)), CUresult::SUCCESS);
        assert!(id > 0 && graph == ended, "{graph:?} {ended:?}");
    });
}
