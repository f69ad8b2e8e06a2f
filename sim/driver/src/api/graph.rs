//! Graphs, as captures make them.

use std::ffi::{c_char, c_uint, c_ulonglong};

use cuda_sys::{CUDA_GRAPH_INSTANTIATE_PARAMS, CUgraphNode, CUresult};

use crate::abi::{Handle, HandleOut, MaybeOut, Ready};
use crate::outcome::Outcome;
use crate::work::Graph;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`: launching from the device is not simulated.
const DEVICE_LAUNCH: c_ulonglong = 4;
/// All flags that there are; the others make no difference here.
const KNOWN: c_ulonglong = 15;
/// Where the parameters have their flags and, at the end, the result: 0 for success.
const RESULT: usize = 24;

/// An empty graph: its nodes would have to be added, which is not simulated.
pub(crate) fn cuGraphCreate(call: Ready, made: HandleOut, flags: c_uint) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    made.set(call.driver.graphs.insert(Graph::default()));
    Ok(())
}

pub(crate) fn cuGraphDestroy(call: Ready, graph: Handle) -> Outcome {
    call.driver.graphs.remove(graph.0).map(drop).ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn cuGraphInstantiateWithFlags(
    call: Ready,
    made: HandleOut,
    graph: Handle,
    flags: c_ulonglong,
) -> Outcome {
    let graph = call.driver.graphs.get(graph.0).ok_or(CUresult::INVALID_VALUE)?;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    made.set(call.driver.graph_execs.insert(graph.instantiate()));
    Ok(())
}

/// Nothing goes wrong that a log could tell.
pub(crate) fn cuGraphInstantiate_v2(
    call: Ready,
    made: HandleOut,
    graph: Handle,
    _error_node: MaybeOut<CUgraphNode>,
    _log: *mut c_char,
    _log_size: usize,
) -> Outcome {
    cuGraphInstantiateWithFlags(call, made, graph, 0)
}

/// # Safety
///
/// `parameters` must be null or valid.
pub(crate) unsafe fn cuGraphInstantiateWithParams(
    call: Ready,
    made: HandleOut,
    graph: Handle,
    parameters: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
) -> Outcome {
    if parameters.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null; the flags come first.
    let flags = unsafe { parameters.cast::<c_ulonglong>().read_unaligned() };
    cuGraphInstantiateWithFlags(call, made, graph, flags)?;
    // SAFETY: not null; the result is there.
    unsafe { parameters.cast::<u8>().wrapping_add(RESULT).cast::<c_uint>().write_unaligned(0) };
    Ok(())
}

/// There is nothing to bring to the device before a launch.
pub(crate) fn cuGraphUpload(call: Ready, exec: Handle, stream: Handle) -> Outcome {
    call.lane(stream.0)?;
    call.driver.graph_execs.get(exec.0).map(drop).ok_or(CUresult::INVALID_VALUE)
}

/// # Safety
///
/// Host memory that the graph copies must be valid.
pub(crate) unsafe fn cuGraphLaunch(call: Ready, exec: Handle, stream: Handle) -> Outcome {
    let exec = call.driver.graph_execs.get(exec.0).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: passed on.
    unsafe { exec.launch(call.driver, &call.lane(stream.0)?) }
}

pub(crate) fn cuGraphExecDestroy(call: Ready, exec: Handle) -> Outcome {
    call.driver.graph_execs.remove(exec.0).map(drop).ok_or(CUresult::INVALID_VALUE)
}

same! {
    cuGraphInstantiate_v2: cuGraphInstantiate;
    cuGraphInstantiateWithParams: cuGraphInstantiateWithParams_ptsz;
    cuGraphUpload: cuGraphUpload_ptsz;
    cuGraphLaunch: cuGraphLaunch_ptsz;
}
