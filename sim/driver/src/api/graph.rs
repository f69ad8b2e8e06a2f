//! Graphs that can be launched.

use std::ffi::{c_char, c_ulonglong};

use cuda_sys::{
    CUDA_GRAPH_INSTANTIATE_PARAMS, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo,
    CUgraphInstantiate_flags as Flags, CUgraphNode, CUresult, cuuint64_t,
};

use crate::abi::{Handle, HandleOut, MaybeOut, Out, Ready};
use crate::outcome::Outcome;
use crate::work::{Graph, forbid_unsafe};

/// All flags that there are.
const KNOWN: c_ulonglong = 15;

/// `CU_GRAPH_EXEC_UPDATE_*`
const UPDATED: CUgraphExecUpdateResult = 0;
const TOPOLOGY_CHANGED: CUgraphExecUpdateResult = 2;
const UPDATE_NOT_SUPPORTED: CUgraphExecUpdateResult = 6;

fn has(flags: c_ulonglong, flag: Flags) -> bool {
    flags & c_ulonglong::from(flag.0) != 0
}

fn instantiate(call: &Ready, graph: Handle, flags: c_ulonglong) -> Outcome<usize> {
    let graph = Graph::of(call.driver, graph.0)?;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if has(flags, Flags::DEVICE_LAUNCH) {
        // Launching from the device is not simulated.
        return Err(CUresult::NOT_SUPPORTED);
    }
    graph.instantiate(call.driver, flags, has(flags, Flags::AUTO_FREE_ON_LAUNCH))
}

/// An upload would need a stream.
pub(crate) fn cuGraphInstantiateWithFlags(
    call: Ready,
    made: HandleOut,
    graph: Handle,
    flags: c_ulonglong,
) -> Outcome {
    if has(flags, Flags::UPLOAD) {
        return Err(CUresult::INVALID_VALUE);
    }
    made.set(instantiate(&call, graph, flags)?);
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
    made.set(instantiate(&call, graph, 0)?);
    Ok(())
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
    // SAFETY: not null, so the caller's.
    let mut wanted = unsafe { parameters.read_unaligned() };
    let handle = instantiate(&call, graph, wanted.flags)?;
    if has(wanted.flags, Flags::UPLOAD)
        && let Err(code) = upload(&call, handle, wanted.hUploadStream.0.addr())
    {
        call.driver.graph_parts.execs.remove(handle);
        return Err(code);
    }
    wanted.result_out = 0;
    // SAFETY: as above.
    unsafe { parameters.write_unaligned(wanted) };
    made.set(handle);
    Ok(())
}

fn upload(call: &Ready, exec: usize, stream: usize) -> Outcome {
    let lane = call.lane(stream)?;
    let exec = call.driver.graph_parts.execs.get(exec).ok_or(CUresult::INVALID_VALUE)?;
    lane.refuse_capture(call.driver)?;
    forbid_unsafe(call.driver)?;
    exec.upload(call.driver, &lane)
}

/// Gives the graph its memory; there is nothing else to bring to the device before a launch.
pub(crate) fn cuGraphUpload(call: Ready, exec: Handle, stream: Handle) -> Outcome {
    upload(&call, exec.0, stream.0)
}

/// # Safety
///
/// Host memory that the graph copies must be valid.
pub(crate) unsafe fn cuGraphLaunch(call: Ready, exec: Handle, stream: Handle) -> Outcome {
    let exec = call.driver.graph_parts.execs.get(exec.0).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: passed on.
    unsafe { exec.launch(call.driver, &call.lane(stream.0)?) }
}

pub(crate) fn cuGraphExecDestroy(call: Ready, exec: Handle) -> Outcome {
    call.driver.graph_parts.execs.remove(exec.0).map(drop).ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn cuGraphExecGetFlags(call: Ready, exec: Handle, flags: Out<cuuint64_t>) -> Outcome {
    flags.set(call.driver.graph_parts.execs.get(exec.0).ok_or(CUresult::INVALID_VALUE)?.flags);
    Ok(())
}

pub(crate) fn cuGraphExecUpdate(
    call: Ready,
    exec: Handle,
    graph: Handle,
    _error_node: MaybeOut<CUgraphNode>,
    result: Out<CUgraphExecUpdateResult>,
) -> Outcome {
    let found = updated(&call, exec, graph)?;
    result.set(found);
    if found == UPDATED { Ok(()) } else { Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE) }
}

/// The result comes first in the information; nodes follow that are not told.
pub(crate) fn cuGraphExecUpdate_v2(
    call: Ready,
    exec: Handle,
    graph: Handle,
    information: Out<CUgraphExecUpdateResultInfo>,
) -> Outcome {
    let found = updated(&call, exec, graph)?;
    information.cast::<CUgraphExecUpdateResult>().set(found);
    if found == UPDATED { Ok(()) } else { Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE) }
}

fn updated(call: &Ready, exec: Handle, graph: Handle) -> Outcome<CUgraphExecUpdateResult> {
    let exec = call.driver.graph_parts.execs.get(exec.0).ok_or(CUresult::INVALID_VALUE)?;
    match exec.update(&*Graph::of(call.driver, graph.0)?) {
        Ok(true) => Ok(UPDATED),
        Ok(false) => Ok(TOPOLOGY_CHANGED),
        Err(CUresult::NOT_SUPPORTED) => Ok(UPDATE_NOT_SUPPORTED),
        Err(code) => Err(code),
    }
}

same! {
    cuGraphInstantiate_v2: cuGraphInstantiate;
    cuGraphInstantiateWithParams: cuGraphInstantiateWithParams_ptsz;
    cuGraphUpload: cuGraphUpload_ptsz;
    cuGraphLaunch: cuGraphLaunch_ptsz;
}
