//! What a graph allocates, as its nodes say.

use crate::abi::driver::real;
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use cuda_sys::{CUdevice, CUgraph, CUgraphNode, CUgraphNodeType};

use super::super::pools::of_location;

/// An allocation of a graph.
pub(super) struct Allocated {
    pub(super) device: CUdevice,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

/// All that `graph` and the graphs in it allocate; nothing where the driver does not say.
pub(super) fn allocations(graph: CUgraph) -> Vec<Allocated> {
    let mut all = Vec::new();
    for node in nodes(graph) {
        match kind(node) {
            Some(CUgraphNodeType::MEM_ALLOC) => all.extend(allocation(node)),
            Some(CUgraphNodeType::GRAPH) => {
                if let Some(child) = child(node) {
                    all.extend(allocations(child));
                }
            }
            _ => {}
        }
    }
    all
}

fn nodes(graph: CUgraph) -> Vec<CUgraphNode> {
    let mut count = 0;
    // SAFETY: without a place for nodes the driver only says how many there are.
    if !unsafe { real::cuGraphGetNodes(graph, null_mut(), &raw mut count) }.is_success() {
        return Vec::new();
    }
    let mut nodes = vec![CUgraphNode(null_mut()); count];
    // SAFETY: room for `count` nodes.
    if !unsafe { real::cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count) }.is_success() {
        return Vec::new();
    }
    nodes.truncate(count);
    nodes
}

fn kind(node: CUgraphNode) -> Option<CUgraphNodeType> {
    let mut kind = CUgraphNodeType::default();
    // SAFETY: a node that the driver has just named; `kind` is valid for writing.
    unsafe { real::cuGraphNodeGetType(node, &raw mut kind) }.is_success().then_some(kind)
}

fn allocation(node: CUgraphNode) -> Option<Allocated> {
    let mut parameters = MaybeUninit::zeroed();
    // SAFETY: as for `kind`.
    if !unsafe { real::cuGraphMemAllocNodeGetParams(node, parameters.as_mut_ptr()) }.is_success() {
        return None;
    }
    // SAFETY: the driver has filled it, and every field is valid whatever its bits.
    let parameters = unsafe { parameters.assume_init() };
    let device = of_location(parameters.poolProps.location)?;
    Some(Allocated { device, address: parameters.dptr, bytes: parameters.bytesize as u64 })
}

fn child(node: CUgraphNode) -> Option<CUgraph> {
    let mut graph = CUgraph(null_mut());
    // SAFETY: as for `kind`.
    unsafe { real::cuGraphChildGraphNodeGetGraph(node, &raw mut graph) }.is_success().then_some(graph)
}
