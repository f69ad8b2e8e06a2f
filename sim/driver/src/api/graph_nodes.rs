//! Building graphs node by node.

use std::ffi::{c_longlong, c_uint};

use cuda_sys::{
    CUDA_CHILD_GRAPH_NODE_PARAMS, CUdeviceptr, CUgraphEdgeData, CUgraphNode, CUgraphNodeParams,
    CUgraphNodeType as Kind, CUresult,
};

use super::graph_memory::{cuGraphAddMemAllocNode, cuGraphAddMemFreeNode};
use crate::abi::{Address, Handle, HandleOut, Out, Ready, Size};
use crate::outcome::Outcome;
use crate::work::{Graph, GraphNode, Node};

/// `CU_GRAPH_CHILD_GRAPH_OWNERSHIP_*`
const CLONE: c_uint = 0;
const MOVE: c_uint = 1;

/// An empty graph.
pub(crate) fn cuGraphCreate(call: Ready, made: HandleOut, flags: c_uint) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    made.set(call.driver.graphs.insert(Graph::default()));
    Ok(())
}

/// A graph that is a part of another ends with that.
pub(crate) fn cuGraphDestroy(call: Ready, graph: Handle) -> Outcome {
    if Graph::of(call.driver, graph.0)?.is_moved() {
        return Err(CUresult::INVALID_VALUE);
    }
    call.driver.graphs.remove(graph.0).map(drop).ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn cuGraphClone(call: Ready, made: HandleOut, original: Handle) -> Outcome {
    made.set(Graph::of(call.driver, original.0)?.copied(call.driver)?.0);
    Ok(())
}

/// Nodes are done in the order in which they are added, so that a dependency is met when it is a node of the graph.
///
/// # Safety
///
/// `dependencies` must be null or `count` nodes.
pub(super) unsafe fn check(
    call: &Ready,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
) -> Outcome {
    let graph = Graph::of(call.driver, graph.0)?;
    if dependencies.is_null() {
        return if count.0 == 0 { Ok(()) } else { Err(CUresult::INVALID_VALUE) };
    }
    for index in 0..count.0 {
        // SAFETY: below the count.
        let node = unsafe { dependencies.wrapping_add(index).read_unaligned() };
        if !GraphNode::is_of(call.driver, node.0.addr(), &graph) {
            return Err(CUresult::INVALID_VALUE);
        }
    }
    Ok(())
}

/// # Safety
///
/// `dependencies` must be null or `count` nodes.
pub(crate) unsafe fn cuGraphAddEmptyNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { check(&call, graph, dependencies, count) }?;
    node.set(Graph::of(call.driver, graph.0)?.add(call.driver, Node::Empty));
    Ok(())
}

/// # Safety
///
/// As for [`cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddChildGraphNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    child: Handle,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { check(&call, graph, dependencies, count) }?;
    node.set(Graph::of(call.driver, graph.0)?.adopt(call.driver, child.0, false)?);
    Ok(())
}

/// Memory, its end, a graph, nothing; other nodes are not simulated.
///
/// # Safety
///
/// As for [`cuGraphAddEmptyNode`]; `parameters` must be null or valid for reading and writing.
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
        // SAFETY: passed on.
        Kind::EMPTY => unsafe { cuGraphAddEmptyNode(call, node, graph, dependencies, count) },
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
        Kind::GRAPH => {
            // SAFETY: as above.
            let child = unsafe { of_kind.cast::<CUDA_CHILD_GRAPH_NODE_PARAMS>().read_unaligned() };
            // SAFETY: passed on.
            unsafe { check(&call, graph, dependencies, count) }?;
            let moves = match child.ownership {
                CLONE => false,
                MOVE => true,
                _ => return Err(CUresult::INVALID_VALUE),
            };
            let child = child.graph.0.addr();
            node.set(Graph::of(call.driver, graph.0)?.adopt(call.driver, child, moves)?);
            Ok(())
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

pub(crate) fn cuGraphChildGraphNodeGetGraph(call: Ready, node: Handle, graph: HandleOut) -> Outcome {
    let Node::Child(handle, _) = GraphNode::node(call.driver, node.0)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    graph.set(handle);
    Ok(())
}

pub(crate) fn cuGraphNodeGetType(call: Ready, node: Handle, kind: Out<Kind>) -> Outcome {
    kind.set(GraphNode::node(call.driver, node.0)?.kind());
    Ok(())
}

/// Gives as many nodes as there is room for and says how many; without room, only how many there are.
///
/// # Safety
///
/// `nodes` must be null or have room for `*count` nodes.
pub(crate) unsafe fn cuGraphGetNodes(
    call: Ready,
    graph: Handle,
    nodes: *mut CUgraphNode,
    count: *mut usize,
) -> Outcome {
    let handles = Graph::of(call.driver, graph.0)?.handles();
    if count.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if nodes.is_null() {
        // SAFETY: not null, so the caller's variable.
        unsafe { count.write(handles.len()) };
        return Ok(());
    }
    // SAFETY: as above.
    let room = unsafe { count.read() };
    for index in 0..room {
        let handle = handles.get(index).copied().unwrap_or_default();
        // SAFETY: below the room there is. What is left of it becomes null.
        unsafe { nodes.wrapping_add(index).write(CUgraphNode(std::ptr::without_provenance_mut(handle))) };
    }
    // SAFETY: as above.
    unsafe { count.write(handles.len().min(room)) };
    Ok(())
}

same! {
    cuGraphAddNode_v2: cuGraphAddNode_v3;
}
