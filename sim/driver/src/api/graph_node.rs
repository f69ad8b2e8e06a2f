//! Nodes of any kind, by one structure.

use std::ffi::{c_longlong, c_uint};

use cuda_sys::{
    CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS, CUdeviceptr, CUevent, CUgraphEdgeData, CUgraphNode, CUgraphNodeParams,
    CUgraphNodeType as Kind, CUresult,
};

use super::graph_kernel::kernel_node;
use super::graph_memory::{cuGraphAddMemAllocNode, cuGraphAddMemFreeNode};
use super::graph_nodes::{add, check};
use super::graph_work::{fill_node, host_node};
use crate::abi::{Address, CopyOrder, FromAbi, Handle, HandleOut, Ready, Size};
use crate::outcome::Outcome;
use crate::work::{Event, Node};

/// `CU_GRAPH_CHILD_GRAPH_OWNERSHIP_*`
const CLONE: c_uint = 0;
const MOVE: c_uint = 1;

/// Nodes of other kinds (semaphores, batches, conditions) are not simulated.
///
/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`]; `parameters` must be null or valid for reading and writing.
pub(crate) unsafe fn cuGraphAddNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    parameters: *mut CUgraphNodeParams,
) -> Outcome {
    if parameters.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so the caller's; the kind comes first.
    let kind = unsafe { parameters.cast::<Kind>().read_unaligned() };
    // SAFETY: as above; stays inside of the structure.
    let of_kind = unsafe { &raw mut (*parameters).reserved1 }.cast::<c_longlong>();
    match kind {
        // SAFETY: passed on; the parameters of this kind begin there.
        Kind::MEM_ALLOC => unsafe {
            cuGraphAddMemAllocNode(call, node, graph, dependencies, count, of_kind.cast())
        },
        Kind::MEM_FREE => {
            // SAFETY: as above.
            let address = Address(unsafe { of_kind.cast::<CUdeviceptr>().read_unaligned() });
            // SAFETY: passed on.
            unsafe { cuGraphAddMemFreeNode(call, node, graph, dependencies, count, address) }
        }
        // SAFETY: passed on; as above.
        Kind::GRAPH => unsafe { add_child(&call, &node, graph, (dependencies, count), of_kind.cast()) },
        kind => {
            // SAFETY: passed on.
            let work = unsafe { work(&call, kind, of_kind) }?;
            // SAFETY: passed on.
            unsafe { add(&call, &node, graph, (dependencies, count), work) }
        }
    }
}

/// # Safety
///
/// As for [`add`]; `child` must be valid for reading.
unsafe fn add_child(
    call: &Ready,
    place: &HandleOut,
    graph: Handle,
    (dependencies, count): (*const CUgraphNode, Size),
    child: *const CUDA_CHILD_GRAPH_NODE_PARAMS,
) -> Outcome {
    // SAFETY: passed on.
    let graph = unsafe { check(call, graph, dependencies, count) }?;
    // SAFETY: passed on.
    let child = unsafe { child.read_unaligned() };
    let moves = match child.ownership {
        CLONE => false,
        MOVE => true,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    place.set(graph.adopt(call.driver, child.graph.0.addr(), moves)?);
    Ok(())
}

/// # Safety
///
/// The parameters of this kind must begin at `of_kind`.
pub(super) unsafe fn work(call: &Ready, kind: Kind, of_kind: *const c_longlong) -> Outcome<Node> {
    match kind {
        Kind::EMPTY => Ok(Node::Empty),
        Kind::KERNEL => {
            // SAFETY: the caller's.
            let wanted = unsafe { of_kind.cast::<CUDA_KERNEL_NODE_PARAMS>().read_unaligned() };
            // SAFETY: passed on.
            unsafe { kernel_node(call, &wanted) }
        }
        Kind::MEMCPY => {
            // SAFETY: the caller's.
            let wanted = unsafe { of_kind.cast::<CUDA_MEMCPY_NODE_PARAMS>().read_unaligned() };
            // SAFETY: a structure of this function's.
            unsafe { CopyOrder::from_abi(&raw const wanted.copyParams) }.map(Node::Copy)
        }
        // SAFETY: the caller's. Its context follows, which no fill needs to know.
        Kind::MEMSET => fill_node(unsafe { of_kind.cast::<CUDA_MEMSET_NODE_PARAMS>().read_unaligned() }),
        // SAFETY: the caller's. How the function waits follows.
        Kind::HOST => host_node(unsafe { of_kind.cast::<CUDA_HOST_NODE_PARAMS>().read_unaligned() }),
        Kind::EVENT_RECORD | Kind::WAIT_EVENT => {
            // SAFETY: the caller's.
            let event = unsafe { of_kind.cast::<CUevent>().read_unaligned() };
            let event = Event::of(call.driver, event.0.addr())?;
            Ok(if kind == Kind::EVENT_RECORD { Node::Record(event) } else { Node::Wait(event) })
        }
        _ => Err(CUresult::NOT_SUPPORTED),
    }
}

/// Edges between these kinds of nodes have no data.
///
/// # Safety
///
/// As for [`cuGraphAddNode`].
pub(crate) unsafe fn cuGraphAddNode_v2(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    _edges: *const CUgraphEdgeData,
    count: Size,
    parameters: *mut CUgraphNodeParams,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { cuGraphAddNode(call, node, graph, dependencies, count, parameters) }
}

same! {
    cuGraphAddNode_v2: cuGraphAddNode_v3;
}
