//! Building graphs node by node.

use std::ffi::c_uint;
use std::sync::Arc;

use cuda_sys::{CUgraphNode, CUgraphNodeType as Kind, CUresult};

use crate::abi::{Handle, HandleOut, Out, Ready, Size};
use crate::outcome::Outcome;
use crate::work::{Graph, GraphNode, Node};

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

/// The graph of a handle, if it can have a node with these dependencies. Nodes are done in the order in which they are
/// added, so that a dependency is met when it is a node of the graph.
///
/// # Safety
///
/// `dependencies` must be null or `count` nodes.
pub(super) unsafe fn check(
    call: &Ready,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
) -> Outcome<Arc<Graph>> {
    let graph = Graph::of(call.driver, graph.0)?;
    if dependencies.is_null() {
        return if count.0 == 0 { Ok(graph) } else { Err(CUresult::INVALID_VALUE) };
    }
    for index in 0..count.0 {
        // SAFETY: below the count.
        let node = unsafe { dependencies.wrapping_add(index).read_unaligned() };
        if !GraphNode::is_of(call.driver, node.0.addr(), &graph) {
            return Err(CUresult::INVALID_VALUE);
        }
    }
    Ok(graph)
}

/// Adds a node that takes no memory.
///
/// # Safety
///
/// There must be as many dependencies as said, or null.
pub(super) unsafe fn add(
    call: &Ready,
    place: &HandleOut,
    graph: Handle,
    (dependencies, count): (*const CUgraphNode, Size),
    node: Node,
) -> Outcome {
    // SAFETY: passed on.
    let graph = unsafe { check(call, graph, dependencies, count) }?;
    place.set(graph.add(call.driver, node));
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
    unsafe { add(&call, &node, graph, (dependencies, count), Node::Empty) }
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
    let graph = unsafe { check(&call, graph, dependencies, count) }?;
    node.set(graph.adopt(call.driver, child.0, false)?);
    Ok(())
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
