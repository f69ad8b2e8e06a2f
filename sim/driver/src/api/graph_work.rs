//! Nodes of graphs that copy, fill, call the host, and record or wait for events.

use cuda_sys::{CUDA_HOST_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS, CUgraphNode, CUresult};

use super::graph_nodes::add;
use crate::abi::{CopyOrder, Given, Handle, HandleOut, Ready, Size};
use crate::memory::Pattern;
use crate::outcome::Outcome;
use crate::work::{Callback, Event, Fill, Node};

/// The node that parameters describe.
pub(super) fn fill_node(wanted: CUDA_MEMSET_NODE_PARAMS) -> Outcome<Node> {
    // The low bytes of the value.
    let [one, two, ..] = wanted.value.to_le_bytes();
    let pattern = match wanted.elementSize {
        1 => Pattern::D8(one),
        2 => Pattern::D16(u16::from_le_bytes([one, two])),
        4 => Pattern::D32(wanted.value),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let (shape, pitch) = ((wanted.width, wanted.height), wanted.pitch as u64);
    Ok(Node::Fill(Fill { address: wanted.dst, pitch, pattern, shape }))
}

/// The node that parameters describe.
pub(super) fn host_node(wanted: CUDA_HOST_NODE_PARAMS) -> Outcome<Node> {
    let function = wanted.function.ok_or(CUresult::INVALID_VALUE)?;
    Ok(Node::Host(Callback::Function(function), wanted.userData.expose_provenance()))
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddMemcpyNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    copy: CopyOrder,
    _context: Handle,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), Node::Copy(copy)) }
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddMemsetNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    wanted: Given<CUDA_MEMSET_NODE_PARAMS>,
    _context: Handle,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), fill_node(wanted.0)?) }
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddHostNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    wanted: Given<CUDA_HOST_NODE_PARAMS>,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), host_node(wanted.0)?) }
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddEventRecordNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    event: Handle,
) -> Outcome {
    let event = Event::of(call.driver, event.0)?;
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), Node::Record(event)) }
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`].
pub(crate) unsafe fn cuGraphAddEventWaitNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    event: Handle,
) -> Outcome {
    let event = Event::of(call.driver, event.0)?;
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), Node::Wait(event)) }
}
