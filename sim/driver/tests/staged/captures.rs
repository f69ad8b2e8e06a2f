//! Captures: who takes part, who may disturb them.

use std::ptr::{from_mut, null, null_mut};

use cuda_sys::{CUevent, CUgraph, CUgraphNode, CUresult, CUstream, CUstreamCaptureMode as Mode};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

fn begin(scene: &Scene, stream: CUstream, mode: Mode) {
    assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, mode)), CUresult::SUCCESS);
}

fn end(scene: &Scene, stream: CUstream) -> CUresult {
    let mut graph = CUgraph(null_mut());
    call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph))
}

/// The second stream goes on where the first is.
fn follow(scene: &Scene, event: CUevent, [first, second]: [CUstream; 2]) -> CUresult {
    assert_eq!(call!(scene.cuda, cuEventRecord(event, first)), CUresult::SUCCESS);
    call!(scene.cuda, cuStreamWaitEvent(second, event, 0))
}

#[test]
fn a_stream_joins_a_capture_by_an_event_and_has_to_come_back() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [origin, side]: [CUstream; 2] = [0; 2].map(|_| get!(scene.cuda, cuStreamCreate(_, 1)));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 16));
        let fill = |stream| call!(scene.cuda, cuMemsetD8Async(address, 1, 16, stream));
        for comes_back in [true, false] {
            begin(&scene, origin, Mode::GLOBAL);
            assert_eq!(fill(origin), CUresult::SUCCESS);
            assert_eq!(follow(&scene, event, [origin, side]), CUresult::SUCCESS);
            assert_eq!(fill(side), CUresult::SUCCESS);
            if comes_back {
                assert_eq!(follow(&scene, event, [side, origin]), CUresult::SUCCESS);
            }
            let wanted = if comes_back { CUresult::SUCCESS } else { CUresult::STREAM_CAPTURE_UNJOINED };
            assert_eq!(end(&scene, origin), wanted);
            // Both are ordinary streams again.
            for stream in [origin, side] {
                assert_eq!(fill(stream), CUresult::SUCCESS);
                assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
            }
        }
        begin(&scene, origin, Mode::GLOBAL);
        assert_eq!(follow(&scene, event, [origin, side]), CUresult::SUCCESS);
        assert_eq!(end(&scene, side), CUresult::STREAM_CAPTURE_UNMATCHED);
        assert_eq!(end(&scene, origin), CUresult::STREAM_CAPTURE_INVALIDATED);
    });
}

#[test]
fn captures_and_other_work_do_not_meet() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [first, second]: [CUstream; 2] = [0; 2].map(|_| get!(scene.cuda, cuStreamCreate(_, 1)));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        let before: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        assert_eq!(call!(scene.cuda, cuEventRecord(before, second)), CUresult::SUCCESS);
        begin(&scene, first, Mode::RELAXED);
        begin(&scene, second, Mode::RELAXED);
        assert_eq!(follow(&scene, event, [first, second]), CUresult::STREAM_CAPTURE_MERGE);
        assert_eq!(
            [first, second].map(|stream| end(&scene, stream)),
            [CUresult::STREAM_CAPTURE_INVALIDATED; 2]
        );
        begin(&scene, first, Mode::RELAXED);
        let code = call!(scene.cuda, cuStreamWaitEvent(first, before, 0));
        assert_eq!(code, CUresult::STREAM_CAPTURE_ISOLATION);
        assert_eq!(end(&scene, first), CUresult::STREAM_CAPTURE_INVALIDATED);
        begin(&scene, first, Mode::RELAXED);
        assert_eq!(call!(scene.cuda, cuEventRecord(event, first)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuEventQuery(event)), CUresult::CAPTURED_EVENT);
        assert_eq!(end(&scene, first), CUresult::STREAM_CAPTURE_INVALIDATED);
    });
}

#[test]
fn calls_that_take_memory_disturb_the_captures_that_the_modes_say() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        let mut address = 5;
        let mut allocate = || call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 16));
        for (capture, thread, disturbs) in [
            (Mode::GLOBAL, Mode::GLOBAL, true),
            (Mode::GLOBAL, Mode::THREAD_LOCAL, true),
            (Mode::GLOBAL, Mode::RELAXED, false),
            (Mode::THREAD_LOCAL, Mode::GLOBAL, true),
            (Mode::THREAD_LOCAL, Mode::RELAXED, false),
            (Mode::RELAXED, Mode::GLOBAL, false),
        ] {
            begin(&scene, stream, capture);
            let mut mode = thread;
            assert_eq!(
                call!(scene.cuda, cuThreadExchangeStreamCaptureMode(from_mut(&mut mode))),
                CUresult::SUCCESS
            );
            let wanted = if disturbs { CUresult::STREAM_CAPTURE_UNSUPPORTED } else { CUresult::SUCCESS };
            assert_eq!(allocate(), wanted, "{capture:?} {thread:?}");
            assert_eq!(
                call!(scene.cuda, cuThreadExchangeStreamCaptureMode(from_mut(&mut mode))),
                CUresult::SUCCESS
            );
            let wanted = if disturbs { CUresult::STREAM_CAPTURE_INVALIDATED } else { CUresult::SUCCESS };
            assert_eq!(end(&scene, stream), wanted, "{capture:?} {thread:?}");
        }
    });
}

#[test]
fn asking_how_far_work_is_disturbs_the_captures_that_the_modes_say() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [stream, other]: [CUstream; 2] = [0; 2].map(|_| get!(scene.cuda, cuStreamCreate(_, 1)));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 0));
        assert_eq!(call!(scene.cuda, cuEventRecord(event, other)), CUresult::SUCCESS);
        let mut time = 0.0;
        let mut calls: [(&str, &mut dyn FnMut() -> CUresult); 5] = [
            ("cuEventQuery", &mut || call!(scene.cuda, cuEventQuery(event))),
            ("cuEventSynchronize", &mut || call!(scene.cuda, cuEventSynchronize(event))),
            ("cuEventElapsedTime", &mut || {
                call!(scene.cuda, cuEventElapsedTime(from_mut(&mut time), event, event))
            }),
            ("cuStreamQuery", &mut || call!(scene.cuda, cuStreamQuery(other))),
            ("cuStreamSynchronize", &mut || call!(scene.cuda, cuStreamSynchronize(other))),
        ];
        for (name, ask) in &mut calls {
            for (thread, disturbs) in [(Mode::GLOBAL, true), (Mode::RELAXED, false)] {
                begin(&scene, stream, Mode::GLOBAL);
                let mut mode = thread;
                let mut exchange =
                    || call!(scene.cuda, cuThreadExchangeStreamCaptureMode(from_mut(&mut mode)));
                assert_eq!(exchange(), CUresult::SUCCESS);
                let wanted = if disturbs { CUresult::STREAM_CAPTURE_UNSUPPORTED } else { CUresult::SUCCESS };
                assert_eq!(ask(), wanted, "{name} {thread:?}");
                assert_eq!(exchange(), CUresult::SUCCESS);
                let wanted = if disturbs { CUresult::STREAM_CAPTURE_INVALIDATED } else { CUresult::SUCCESS };
                assert_eq!(end(&scene, stream), wanted, "{name} {thread:?}");
            }
        }
        begin(&scene, stream, Mode::RELAXED);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::STREAM_CAPTURE_UNSUPPORTED);
        assert_eq!(end(&scene, stream), CUresult::STREAM_CAPTURE_INVALIDATED);
    });
}

#[test]
fn the_legacy_stream_is_out_of_use_while_a_stream_captures_that_it_waits_for() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [blocking, free]: [CUstream; 2] = [0, 1].map(|flags| get!(scene.cuda, cuStreamCreate(_, flags)));
        let legacy = CUstream(null_mut());
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 16));
        let fill = |stream| call!(scene.cuda, cuMemsetD8Async(address, 1, 16, stream));
        let ask = |stream| {
            let mut status = Default::default();
            call!(scene.cuda, cuStreamIsCapturing(stream, &raw mut status))
        };
        begin(&scene, free, Mode::RELAXED);
        assert_eq!((ask(legacy), fill(legacy)), (CUresult::SUCCESS, CUresult::SUCCESS));
        assert_eq!(end(&scene, free), CUresult::SUCCESS);
        begin(&scene, blocking, Mode::RELAXED);
        assert_eq!((ask(legacy), ask(free)), (CUresult::STREAM_CAPTURE_IMPLICIT, CUresult::SUCCESS));
        assert_eq!(end(&scene, blocking), CUresult::SUCCESS, "asking does no harm");
        begin(&scene, blocking, Mode::RELAXED);
        assert_eq!(fill(legacy), CUresult::STREAM_CAPTURE_IMPLICIT);
        assert_eq!(end(&scene, blocking), CUresult::STREAM_CAPTURE_INVALIDATED);
        assert_eq!(fill(legacy), CUresult::SUCCESS);
    });
}

#[test]
fn the_next_work_of_a_capture_comes_after_its_last_node() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 16));
        begin(&scene, stream, Mode::GLOBAL);
        let dependencies = || {
            let (mut status, mut found, mut count) = (Default::default(), null::<CUgraphNode>(), 9);
            let code = call!(
                scene.cuda,
                cuStreamGetCaptureInfo_v2(
                    stream,
                    &raw mut status,
                    null_mut(),
                    null_mut(),
                    &raw mut found,
                    &raw mut count
                )
            );
            assert_eq!(code, CUresult::SUCCESS);
            // SAFETY: the driver's, until the next call.
            (count, unsafe { found.as_ref() }.copied())
        };
        assert_eq!(dependencies(), (0, None));
        assert_eq!(call!(scene.cuda, cuMemsetD8Async(address, 1, 16, stream)), CUresult::SUCCESS);
        let (count, node) = dependencies();
        let mut graph = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph)), CUresult::SUCCESS);
        let (mut nodes, mut number) = ([CUgraphNode(null_mut()); 2], 2);
        let code = call!(scene.cuda, cuGraphGetNodes(graph, nodes.as_mut_ptr(), from_mut(&mut number)));
        assert_eq!((code, number, count), (CUresult::SUCCESS, 1, 1));
        assert_eq!(node, Some(nodes[0]));
    });
}
