//! Streams, events and host functions.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cuda_sys::{CUevent, CUfunction, CUresult, CUstream};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const LEGACY: CUstream = CUstream(std::ptr::null_mut());
const PER_THREAD: CUstream = CUstream(std::ptr::without_provenance_mut(2));
const NONE: *mut *mut c_void = std::ptr::null_mut();

/// Kernels that take a tenth of the device, so that others run beside them.
const MODULE: &CStr = c"SIMKERN v1\nname=hour dur_us=3600000000 sm=0.1\nname=short dur_us=50000 sm=0.1\n";

fn kernel(scene: &Scene, name: &CStr) -> CUfunction {
    let module = get!(scene.cuda, cuModuleLoadData(_, MODULE.as_ptr().cast()));
    get!(scene.cuda, cuModuleGetFunction(_, module, name.as_ptr()))
}

fn launch(scene: &Scene, kernel: CUfunction, stream: CUstream) {
    assert_eq!(scene.cuda.launch(kernel, stream), CUresult::SUCCESS);
}

fn is_done(scene: &Scene, stream: CUstream) -> bool {
    match call!(scene.cuda, cuStreamQuery(stream)) {
        CUresult::SUCCESS => true,
        CUresult::NOT_READY => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_not_for_others() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (hour, short) = (kernel(&scene, c"hour"), kernel(&scene, c"short"));
        let blocking: CUstream = get!(scene.cuda, cuStreamCreate(_, 0));
        let independent: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        launch(&scene, hour, independent);
        assert!(is_done(&scene, LEGACY) && is_done(&scene, blocking));
        launch(&scene, short, blocking);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(LEGACY)), CUresult::SUCCESS);
        assert!(is_done(&scene, blocking) && !is_done(&scene, independent));
        launch(&scene, hour, blocking);
        assert!(!is_done(&scene, LEGACY));
    });
}

#[test]
fn stream_0_means_what_the_symbol_says() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"hour");
        let launched =
            call!(scene.cuda, cuLaunchKernel_ptsz(kernel, 1, 1, 1, 1, 1, 1, 0, LEGACY, NONE, NONE));
        assert_eq!(launched, CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamQuery_ptsz(LEGACY)), CUresult::NOT_READY);
        assert!(!is_done(&scene, PER_THREAD));
        let id = |stream| {
            let mut id = 0;
            assert_eq!(call!(scene.cuda, cuStreamGetId(stream, &raw mut id)), CUresult::SUCCESS);
            id
        };
        assert_ne!(id(LEGACY), id(PER_THREAD));
        let other = std::thread::scope(|threads| {
            let in_thread = || {
                let context = scene.create_context(0);
                let own = id(PER_THREAD);
                assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
                own
            };
            threads.spawn(in_thread).join().unwrap()
        });
        assert_ne!(id(PER_THREAD), other);
    });
}

#[test]
fn an_unknown_stream_is_no_handle() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 0));
        assert_eq!(call!(scene.cuda, cuStreamDestroy_v2(stream)), CUresult::SUCCESS);
        for handle in [stream, CUstream(std::ptr::without_provenance_mut(0xbad))] {
            assert_eq!(call!(scene.cuda, cuStreamQuery(handle)), CUresult::INVALID_HANDLE);
            assert_eq!(call!(scene.cuda, cuStreamDestroy_v2(handle)), CUresult::INVALID_HANDLE);
        }
        let mut made = stream;
        assert_eq!(call!(scene.cuda, cuStreamCreate(&raw mut made, 2)), CUresult::INVALID_VALUE);
        assert_eq!(made, stream);
    });
}

#[test]
fn priorities_are_kept_within_their_range() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (mut least, mut greatest) = (9, 9);
        let range = call!(scene.cuda, cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest));
        assert_eq!((range, least, greatest), (CUresult::SUCCESS, 0, -5));
        for (wanted, kept) in [(-3, -3), (-9, -5), (7, 0)] {
            let stream: CUstream = get!(scene.cuda, cuStreamCreateWithPriority(_, 1, wanted));
            let (mut priority, mut flags) = (9, 9);
            assert_eq!(call!(scene.cuda, cuStreamGetPriority(stream, &raw mut priority)), CUresult::SUCCESS);
            assert_eq!(call!(scene.cuda, cuStreamGetFlags(stream, &raw mut flags)), CUresult::SUCCESS);
            assert_eq!((priority, flags), (kept, 1));
        }
    });
}

#[test]
fn events_measure_what_lies_between_them() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"short");
        let [start, end]: [CUevent; 2] = [(); 2].map(|()| get!(scene.cuda, cuEventCreate(_, 0)));
        assert_eq!(call!(scene.cuda, cuEventRecord(start, LEGACY)), CUresult::SUCCESS);
        launch(&scene, kernel, LEGACY);
        assert_eq!(call!(scene.cuda, cuEventRecord(end, LEGACY)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuEventSynchronize(end)), CUresult::SUCCESS);
        let elapsed: f32 = get!(scene.cuda, cuEventElapsedTime(_, start, end));
        // The clock starts with the record, the kernel a little later.
        assert!(elapsed >= 50.0, "{elapsed}");
        let back: f32 = get!(scene.cuda, cuEventElapsedTime(_, end, start));
        assert_eq!(back, -elapsed, "from the later to the earlier one");
        let untimed: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        assert_eq!(call!(scene.cuda, cuEventRecord(untimed, LEGACY)), CUresult::SUCCESS);
        let mut nothing = 0.0;
        let code = call!(scene.cuda, cuEventElapsedTime(&raw mut nothing, start, untimed));
        assert_eq!((code, nothing), (CUresult::INVALID_HANDLE, 0.0));
        assert_eq!(call!(scene.cuda, cuEventDestroy_v2(end)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuEventQuery(end)), CUresult::INVALID_HANDLE);
    });
}

#[test]
fn events_keep_their_time_when_their_stream_is_gone() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
        let [start, end]: [CUevent; 2] = [(); 2].map(|()| get!(scene.cuda, cuEventCreate(_, 0)));
        let begin = Instant::now();
        assert_eq!(call!(scene.cuda, cuEventRecord(start, stream)), CUresult::SUCCESS);
        launch(&scene, kernel(&scene, c"short"), stream);
        assert_eq!(call!(scene.cuda, cuEventRecord(end, stream)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamDestroy_v2(stream)), CUresult::SUCCESS);
        let early = call!(scene.cuda, cuEventQuery(end));
        let is_early = begin.elapsed() < Duration::from_millis(50);
        assert!(!is_early || early == CUresult::NOT_READY, "what it holds is still done: {early:?}");
        assert_eq!(call!(scene.cuda, cuEventSynchronize(end)), CUresult::SUCCESS);
        let elapsed: f32 = get!(scene.cuda, cuEventElapsedTime(_, start, end));
        assert!(elapsed >= 50.0, "{elapsed}");
        assert_eq!(call!(scene.cuda, cuEventRecord(end, stream)), CUresult::INVALID_HANDLE);
    });
}

#[test]
fn an_event_that_the_device_has_not_come_to_is_not_ready() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [start, end]: [CUevent; 2] = [(); 2].map(|()| get!(scene.cuda, cuEventCreate(_, 0)));
        assert_eq!(call!(scene.cuda, cuEventRecord(start, LEGACY)), CUresult::SUCCESS);
        launch(&scene, kernel(&scene, c"hour"), LEGACY);
        assert_eq!(call!(scene.cuda, cuEventRecord(end, LEGACY)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuEventQuery(end)), CUresult::NOT_READY);
        let mut elapsed = 0.0;
        let code = call!(scene.cuda, cuEventElapsedTime(&raw mut elapsed, start, end));
        assert_eq!((code, elapsed), (CUresult::NOT_READY, 0.0));
    });
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [first, second]: [CUstream; 2] = [(); 2].map(|()| get!(scene.cuda, cuStreamCreate(_, 1)));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 0));
        for (name, ends) in [(c"short", true), (c"hour", false)] {
            launch(&scene, kernel(&scene, name), first);
            assert_eq!(call!(scene.cuda, cuEventRecord(event, first)), CUresult::SUCCESS);
            assert!(is_done(&scene, second));
            assert_eq!(call!(scene.cuda, cuStreamWaitEvent(second, event, 0)), CUresult::SUCCESS);
            if ends {
                assert_eq!(call!(scene.cuda, cuStreamSynchronize(second)), CUresult::SUCCESS);
            }
            assert_eq!(is_done(&scene, first), ends);
        }
        assert!(!is_done(&scene, second));
    });
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn note(data: *mut c_void) {
    CALLS.store(CALLS.load(Ordering::Acquire) * 10 + data.addr(), Ordering::Release);
}

unsafe extern "C" fn note_of_stream(_: CUstream, status: CUresult, data: *mut c_void) {
    assert_eq!(status, CUresult::SUCCESS);
    // SAFETY: takes any number.
    unsafe { note(data) };
}

#[test]
fn host_functions_are_called_in_the_order_of_their_stream() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let kernel = kernel(&scene, c"short");
        let number = std::ptr::without_provenance_mut;
        launch(&scene, kernel, LEGACY);
        assert_eq!(call!(scene.cuda, cuLaunchHostFunc(LEGACY, Some(note), number(1))), CUresult::SUCCESS);
        let added = call!(scene.cuda, cuStreamAddCallback(LEGACY, Some(note_of_stream), number(2), 0));
        assert_eq!(added, CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuLaunchHostFunc(LEGACY, Some(note), number(3))), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(LEGACY)), CUresult::SUCCESS);
        assert_eq!(CALLS.load(Ordering::Acquire), 123);
        assert_eq!(call!(scene.cuda, cuLaunchHostFunc(LEGACY, None, number(1))), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_full_queue_holds_back_the_next_launch() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let module = get!(scene.cuda, cuModuleLoadData(_, c"SIMKERN v1\nname=k dur_us=500".as_ptr().cast()));
        let kernel: CUfunction = get!(scene.cuda, cuModuleGetFunction(_, module, c"k".as_ptr()));
        let start = Instant::now();
        for _ in 0..1424 {
            launch(&scene, kernel, LEGACY);
        }
        // 1024 fit the queue; 400 must have run before the last was taken.
        assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
    });
}
