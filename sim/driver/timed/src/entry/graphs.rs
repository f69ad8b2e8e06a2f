//! Graphs of kernels, which are done in the order in which they came, one after the other, whatever their edges say.

use std::ffi::{c_uint, c_ulonglong};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cuda_sys::{
    CUDA_KERNEL_NODE_PARAMS, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeType, CUresult, CUstream,
};
use sim_in_process::{idle, store, unique};

use super::handle::{self, code};
use super::kernels::takes;
use super::streams::stream;

/// What a graph's kernels take; each has a node.
#[derive(Default)]
struct Graph(Mutex<Vec<(CUgraphNode, Duration)>>);

// SAFETY: a node's handle is a number that leads nowhere.
unsafe impl Sync for Graph {}

/// What a launch takes the device.
struct Exec(Duration);

impl Graph {
    fn nodes(&self) -> MutexGuard<'_, Vec<(CUgraphNode, Duration)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

idle! {
    cuGraphUpload(CUgraphExec, CUstream);
}

/// # Safety
///
/// The handle must be one of a graph that was not destroyed.
unsafe fn graph<'a>(handle: CUgraph) -> Result<&'a Graph, CUresult> {
    // SAFETY: passed on.
    unsafe { handle::of(handle.0.cast()) }
}

pub unsafe extern "C" fn cuGraphCreate(made: *mut CUgraph, _: c_uint) -> CUresult {
    // SAFETY: the caller's place for a handle.
    unsafe { store(made, CUgraph(handle::make(Graph::default()).cast())) }
}

pub unsafe extern "C" fn cuGraphDestroy(graph: CUgraph) -> CUresult {
    // SAFETY: the caller's graph, which it does not use any more.
    unsafe { handle::end::<Graph>(graph.0.cast()) }
}

pub unsafe extern "C" fn cuGraphAddKernelNode_v2(
    made: *mut CUgraphNode,
    in_graph: CUgraph,
    _: *const CUgraphNode,
    _: usize,
    params: *const CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    // SAFETY: the caller's, for reading.
    let Some(params) = (unsafe { params.as_ref() }) else { return CUresult::INVALID_VALUE };
    // SAFETY: the caller's kernel.
    let Ok(takes) = (unsafe { takes(params.func) }) else { return CUresult::INVALID_HANDLE };
    // SAFETY: the caller's graph.
    let Ok(graph) = (unsafe { graph(in_graph) }) else { return CUresult::INVALID_HANDLE };
    let own = CUgraphNode(std::ptr::without_provenance_mut(unique::handle()));
    graph.nodes().push((own, takes));
    // SAFETY: the caller's place for a handle.
    unsafe { store(made, own) }
}

pub unsafe extern "C" fn cuGraphGetNodes(
    in_graph: CUgraph,
    nodes: *mut CUgraphNode,
    count: *mut usize,
) -> CUresult {
    // SAFETY: the caller's graph.
    let Ok(graph) = (unsafe { graph(in_graph) }) else { return CUresult::INVALID_HANDLE };
    let known = graph.nodes();
    // SAFETY: the caller's number, for reading, where it is not null.
    let room = if nodes.is_null() { 0 } else { unsafe { count.as_ref() }.copied().unwrap_or(0) };
    for (at, (node, _)) in known.iter().take(room).enumerate() {
        // SAFETY: the caller has room for so many.
        unsafe { nodes.wrapping_add(at).write(*node) };
    }
    let told = if nodes.is_null() { known.len() } else { known.len().min(room) };
    // SAFETY: the caller's place for a number.
    unsafe { store(count, told) }
}

pub unsafe extern "C" fn cuGraphNodeGetType(_: CUgraphNode, kind: *mut CUgraphNodeType) -> CUresult {
    // SAFETY: the caller's place for a kind.
    unsafe { store(kind, CUgraphNodeType::KERNEL) }
}

pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    made: *mut CUgraphExec,
    of: CUgraph,
    _: c_ulonglong,
) -> CUresult {
    // SAFETY: the caller's graph.
    let Ok(graph) = (unsafe { graph(of) }) else { return CUresult::INVALID_HANDLE };
    let takes = graph.nodes().iter().map(|(_, takes)| *takes).sum();
    // SAFETY: the caller's place for a handle.
    unsafe { store(made, CUgraphExec(handle::make(Exec(takes)).cast())) }
}

pub unsafe extern "C" fn cuGraphExecDestroy(exec: CUgraphExec) -> CUresult {
    // SAFETY: the caller's, which it does not use any more.
    unsafe { handle::end::<Exec>(exec.0.cast()) }
}

pub unsafe extern "C" fn cuGraphLaunch(exec: CUgraphExec, in_stream: CUstream) -> CUresult {
    // SAFETY: the caller's.
    let exec: Result<&Exec, _> = unsafe { handle::of(exec.0.cast()) };
    // SAFETY: the caller's stream.
    let stream = unsafe { stream(in_stream) };
    code(stream.and_then(|stream| exec.map(|Exec(takes)| stream.launch(*takes))))
}

pub use cuGraphLaunch as cuGraphLaunch_ptsz;
pub use cuGraphUpload as cuGraphUpload_ptsz;
