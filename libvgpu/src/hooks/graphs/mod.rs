//! Graphs: what their allocations need is taken when they are launched or uploaded, and charged then. What a graph takes
//! for itself while it can be launched is seen afterwards. A launch of a graph that allocates nothing costs a look.

mod changes;
mod order;

pub(crate) use changes::*;

use crate::abi::driver::real;
use crate::state::{GraphExec, Member, Site, Slice, slice};
use crate::stream::Stream;
use crate::throttle::{self, Work, metered};
use contract::Bytes;
use cuda_sys::*;
use order::{Order, Taking};
use shared_region::MemoryClass;

pub(crate) unsafe fn cuGraphInstantiate(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    error: *mut CUgraphNode,
    log: *mut c_char,
    size: usize,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphInstantiate(exec, graph, error, log, size) };
    // SAFETY: as above.
    unsafe { instantiated(exec, graph, false, call) }
}

pub(crate) unsafe fn cuGraphInstantiate_v2(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    error: *mut CUgraphNode,
    log: *mut c_char,
    size: usize,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphInstantiate_v2(exec, graph, error, log, size) };
    // SAFETY: as above.
    unsafe { instantiated(exec, graph, false, call) }
}

pub(crate) unsafe fn cuGraphInstantiateWithFlags(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphInstantiateWithFlags(exec, graph, flags) };
    // SAFETY: as above.
    unsafe { instantiated(exec, graph, uploads(flags), call) }
}

pub(crate) unsafe fn cuGraphInstantiateWithParams(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    params: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphInstantiateWithParams(exec, graph, params) };
    // SAFETY: the application gave it for reading.
    let uploads = unsafe { params.as_ref() }.is_some_and(|params| uploads(params.flags));
    // SAFETY: as above.
    unsafe { instantiated(exec, graph, uploads, call) }
}

pub(crate) unsafe fn cuGraphInstantiateWithParams_ptsz(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    params: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphInstantiateWithParams_ptsz(exec, graph, params) };
    // SAFETY: the application gave it for reading.
    let uploads = unsafe { params.as_ref() }.is_some_and(|params| uploads(params.flags));
    // SAFETY: as above.
    unsafe { instantiated(exec, graph, uploads, call) }
}

pub(crate) unsafe fn cuGraphUpload(exec: CUgraphExec, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    uploaded(exec, || unsafe { real::cuGraphUpload(exec, stream) })
}

pub(crate) unsafe fn cuGraphUpload_ptsz(exec: CUgraphExec, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    uploaded(exec, || unsafe { real::cuGraphUpload_ptsz(exec, stream) })
}

pub(crate) unsafe fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphLaunch(exec, stream) };
    let stream = Stream::legacy(stream);
    metered(|| Work::graph(exec, stream), || launched(exec, stream, call))
}

pub(crate) unsafe fn cuGraphLaunch_ptsz(exec: CUgraphExec, stream: CUstream) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGraphLaunch_ptsz(exec, stream) };
    let stream = Stream::per_thread(stream);
    metered(|| Work::graph(exec, stream), || launched(exec, stream, call))
}

pub(crate) unsafe fn cuGraphExecDestroy(exec: CUgraphExec) -> CUresult {
    throttle::graph_ends(exec);
    // SAFETY: the application's own argument.
    let call = || unsafe { real::cuGraphExecDestroy(exec) };
    let result = match member() {
        Some(member) => member.end_graph(exec, call),
        None => call(),
    };
    if let Some(slice) = slice().ok().flatten().filter(|_| result.is_success()) {
        slice.observe_all();
    }
    result
}

pub(crate) unsafe fn cuGraphExecUpdate(
    exec: CUgraphExec,
    graph: CUgraph,
    error: *mut CUgraphNode,
    result: *mut CUgraphExecUpdateResult,
) -> CUresult {
    // SAFETY: the application's own arguments.
    updated(exec, graph, || unsafe { real::cuGraphExecUpdate(exec, graph, error, result) })
}

pub(crate) unsafe fn cuGraphExecUpdate_v2(
    exec: CUgraphExec,
    graph: CUgraph,
    result: *mut CUgraphExecUpdateResultInfo,
) -> CUresult {
    // SAFETY: the application's own arguments.
    updated(exec, graph, || unsafe { real::cuGraphExecUpdate_v2(exec, graph, result) })
}

pub(crate) unsafe fn cuDeviceGraphMemTrim(device: CUdevice) -> CUresult {
    // SAFETY: the application's own argument.
    let call = || unsafe { real::cuDeviceGraphMemTrim(device) };
    match member() {
        Some(member) => member.graphs_trimmed(device, call),
        None => call(),
    }
}

fn member() -> Option<&'static Member> {
    slice().ok().flatten().and_then(Slice::member_if_joined)
}

const fn uploads(flags: c_ulonglong) -> bool {
    // Widening.
    flags & CUgraphInstantiate_flags::UPLOAD.0 as c_ulonglong != 0
}

/// Makes a graph ready for launching, unless the slice is over its limit, and charges what that took.
///
/// # Safety
/// `exec` must be what `call` has the driver write to.
unsafe fn instantiated(
    exec: *mut CUgraphExec,
    graph: CUgraph,
    uploads: bool,
    call: impl Fn() -> CUresult,
) -> CUresult {
    let site = match Site::current() {
        Ok(Some(site)) if !exec.is_null() => site,
        Ok(_) => return call(),
        Err(code) => return code,
    };
    // Dropped at once: of no bytes, so all that it says is that the slice is not over its limit.
    if let Err(code) = site.reserve(MemoryClass::Graph, Bytes::ZERO) {
        return code;
    }
    let known = site.member.graph_needs(graph);
    let result = if uploads && !known.needs.is_empty() {
        // SAFETY: promised by the caller.
        unsafe { instantiated_with_memory(site.member, &known, exec, &call) }
    } else {
        call()
    };
    if result.is_success() {
        // SAFETY: the driver has written the handle there.
        site.member.graphs.record(unsafe { *exec }, known);
        if let Ok(Some(slice)) = slice() {
            slice.observe_all();
        }
    }
    result
}

/// # Safety
/// As for [`instantiated`].
unsafe fn instantiated_with_memory(
    member: &'static Member,
    graph: &GraphExec,
    exec: *mut CUgraphExec,
    call: &dyn Fn() -> CUresult,
) -> CUresult {
    // SAFETY: the application's variable.
    let before = unsafe { *exec };
    let undo = || {
        // SAFETY: as above.
        let made = unsafe { core::mem::replace(&mut *exec, before) };
        // SAFETY: just made, and known to nobody else.
        let _ = unsafe { real::cuGraphExecDestroy(made) };
    };
    Order { member, graph, call, take: Taking::Itself(&undo) }.run()
}

fn uploaded(exec: CUgraphExec, call: impl Fn() -> CUresult) -> CUresult {
    let Some((member, graph)) = known(exec) else { return call() };
    // The memory is given back with that of all graphs.
    Order { member, graph: &graph, call: &call, take: Taking::Itself(&|| {}) }.run()
}

fn launched(exec: CUgraphExec, stream: Stream, call: impl Fn() -> CUresult) -> CUresult {
    let Some((member, graph)) = known(exec) else { return call() };
    // During a capture this makes a node of another graph.
    if stream.is_capturing() {
        return call();
    }
    let upload = || stream.upload(exec);
    Order { member, graph: &graph, call: &call, take: Taking::Before(&upload) }.run()
}

/// A graph that allocates.
#[inline]
fn known(exec: CUgraphExec) -> Option<(&'static Member, std::sync::Arc<GraphExec>)> {
    let member = member()?;
    Some((member, member.graphs.find(exec)?))
}

/// After an update a graph is what the other one was.
fn updated(exec: CUgraphExec, graph: CUgraph, call: impl FnOnce() -> CUresult) -> CUresult {
    let result = call();
    if let Some(member) = member().filter(|_| result.is_success()) {
        member.graphs.record(exec, member.graph_needs(graph));
    }
    throttle::graph_changed(exec, result)
}
