//! The driver whose device is in the process, and takes time.

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use cuda_sys::{CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule, CUresult, CUstream};

use crate::cuda::{Cuda, call, get, one_thread};
use crate::scene::library;

const DEFAULT: CUstream = CUstream(null_mut());
const DISABLE_TIMING: u32 = 2;

/// No machine takes so much longer, whatever else it does.
const FOR_EVER: Duration = Duration::from_secs(60);

fn kernel(cuda: &Cuda, us: u32) -> CUfunction {
    let image = CString::new(format!("SIMKERN v1\nname=k dur_us={us}\n")).unwrap();
    let module: CUmodule = get!(cuda, cuModuleLoadData(_, image.as_ptr().cast()));
    get!(cuda, cuModuleGetFunction(_, module, c"k".as_ptr()))
}

fn stream(cuda: &Cuda) -> CUstream {
    get!(cuda, cuStreamCreate(_, 1))
}

fn recorded(cuda: &Cuda, stream: CUstream) -> CUevent {
    let event = get!(cuda, cuEventCreate(_, 0));
    assert_eq!(call!(cuda, cuEventRecord(event, stream)), CUresult::SUCCESS);
    event
}

/// Milliseconds from one event to another, or the code instead.
fn between(cuda: &Cuda, from: CUevent, to: CUevent) -> Result<f32, CUresult> {
    let mut milliseconds = 0.0;
    let code = call!(cuda, cuEventElapsedTime(&raw mut milliseconds, from, to));
    if code == CUresult::SUCCESS { Ok(milliseconds) } else { Err(code) }
}

#[test]
fn a_kernel_that_is_waited_for_takes_its_time() {
    let cuda = Cuda::load(&library("timed"));
    let (kernel, stream) = (kernel(&cuda, 5000), stream(&cuda));
    let begin = Instant::now();
    for _ in 0..3 {
        assert_eq!(cuda.launch(kernel, stream), CUresult::SUCCESS);
    }
    assert_eq!(call!(cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
    assert!((Duration::from_millis(15)..FOR_EVER).contains(&begin.elapsed()), "{:?}", begin.elapsed());
    assert_eq!(call!(cuda, cuStreamQuery(stream)), CUresult::SUCCESS);
    let begin = Instant::now();
    assert_eq!(cuda.launch(kernel, DEFAULT), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuCtxSynchronize()), CUresult::SUCCESS);
    assert!(begin.elapsed() >= Duration::from_millis(5));
}

#[test]
fn events_tell_how_long_the_device_took_and_come_when_it_is_done() {
    let cuda = Cuda::load(&library("timed"));
    let (long, short, stream) = (kernel(&cuda, 200_000), kernel(&cuda, 1000), stream(&cuda));
    // Behind the first one there is no gap for which the host could be the reason.
    assert_eq!(cuda.launch(long, stream), CUresult::SUCCESS);
    let start = recorded(&cuda, stream);
    assert_eq!(cuda.launch(short, stream), CUresult::SUCCESS);
    assert_eq!(cuda.launch(short, stream), CUresult::SUCCESS);
    let end = recorded(&cuda, stream);
    if between(&cuda, start, end).is_err() {
        assert_eq!(between(&cuda, start, end), Err(CUresult::NOT_READY));
    }
    assert_eq!(call!(cuda, cuEventSynchronize(end)), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuEventQuery(end)), CUresult::SUCCESS);
    let told = between(&cuda, start, end).unwrap();
    // Other tests of this process use the same device.
    assert!(told >= 2.0, "{told}");
    assert_eq!(between(&cuda, end, start), Ok(-told));
}

#[test]
fn work_is_under_way_until_its_time_is_over() {
    let cuda = Cuda::load(&library("timed"));
    let (kernel, stream, other) = (kernel(&cuda, 2_000_000), stream(&cuda), stream(&cuda));
    let begin = Instant::now();
    assert_eq!(cuda.launch(kernel, stream), CUresult::SUCCESS);
    let event = recorded(&cuda, stream);
    assert_eq!(call!(cuda, cuStreamWaitEvent(other, event, 0)), CUresult::SUCCESS);
    let answers = [
        call!(cuda, cuStreamQuery(stream)),
        call!(cuda, cuEventQuery(event)),
        call!(cuda, cuStreamQuery(other)),
        call!(cuda, cuStreamQuery(DEFAULT)),
    ];
    let is_early = begin.elapsed() < Duration::from_secs(2);
    assert!(!is_early || answers == [CUresult::NOT_READY; 4], "{answers:?}");
    assert_eq!(call!(cuda, cuStreamSynchronize(other)), CUresult::SUCCESS);
    assert!(begin.elapsed() >= Duration::from_secs(2));
}

#[test]
fn an_event_that_was_not_recorded_or_keeps_no_time_tells_none() {
    let cuda = Cuda::load(&library("timed"));
    let (stream, fresh): (_, CUevent) = (stream(&cuda), get!(cuda, cuEventCreate(_, 0)));
    assert_eq!(call!(cuda, cuEventQuery(fresh)), CUresult::SUCCESS);
    assert_eq!(between(&cuda, recorded(&cuda, stream), fresh), Err(CUresult::INVALID_HANDLE));
    let timeless: CUevent = get!(cuda, cuEventCreate(_, DISABLE_TIMING));
    assert_eq!(call!(cuda, cuEventRecord(timeless, stream)), CUresult::SUCCESS);
    assert_eq!(between(&cuda, recorded(&cuda, stream), timeless), Err(CUresult::INVALID_HANDLE));
    assert_eq!(call!(cuda, cuEventDestroy_v2(CUevent(null_mut()))), CUresult::INVALID_HANDLE);
}

#[test]
fn a_graph_takes_as_long_as_its_kernels() {
    let cuda = Cuda::load(&library("timed"));
    let (kernel, stream) = (kernel(&cuda, 2000), stream(&cuda));
    let graph: CUgraph = get!(cuda, cuGraphCreate(_, 0));
    let params = one_thread(kernel);
    let nodes: [CUgraphNode; 3] =
        [0; 3].map(|_| get!(cuda, cuGraphAddKernelNode_v2(_, graph, null(), 0, &raw const params)));
    let (mut listed, mut count) = ([CUgraphNode(null_mut()); 3], 3);
    let code = call!(cuda, cuGraphGetNodes(graph, listed.as_mut_ptr(), &raw mut count));
    assert_eq!((code, count, listed), (CUresult::SUCCESS, 3, nodes));
    let exec: CUgraphExec = get!(cuda, cuGraphInstantiateWithFlags(_, graph, 0));
    let begin = Instant::now();
    assert_eq!(call!(cuda, cuGraphLaunch(exec, stream)), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
    assert!((Duration::from_millis(6)..FOR_EVER).contains(&begin.elapsed()));
}

#[test]
fn a_stream_holds_so_many_launches_before_the_next_one_waits() {
    let cuda = Cuda::load(&library("timed"));
    let (kernel, stream) = (kernel(&cuda, 20), stream(&cuda));
    let begin = Instant::now();
    for _ in 0..4096 {
        assert_eq!(cuda.launch(kernel, stream), CUresult::SUCCESS);
    }
    // All but 1,024 are done.
    assert!(begin.elapsed() >= Duration::from_micros(20) * 3071);
    assert_eq!(call!(cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
}

#[test]
fn kernels_are_known_by_name_and_a_fill_is_not_claimed_to_be_done() {
    let cuda = Cuda::load(&library("timed"));
    let module: CUmodule = get!(cuda, cuModuleLoadData(_, c"SIMKERN v1\nname=k\n".as_ptr().cast()));
    let mut function = CUfunction(null_mut());
    let code = call!(cuda, cuModuleGetFunction(&raw mut function, module, c"other".as_ptr()));
    assert_eq!(code, CUresult::NOT_FOUND);
    let mut module = CUmodule(null_mut());
    let code = call!(cuda, cuModuleLoadData(&raw mut module, c"junk".as_ptr().cast()));
    assert_eq!(code, CUresult::INVALID_PTX);
    for name in ["cuMemsetD8_v2", "cuMemcpyHtoD_v2"] {
        assert_eq!(cuda.unknown(name)([]), CUresult::NOT_SUPPORTED);
    }
}
