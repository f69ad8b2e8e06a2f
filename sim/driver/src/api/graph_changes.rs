//! Changing nodes of what was made ready for launching, which leaves the graph as it is.

use std::ffi::c_longlong;

use cuda_sys::{
    CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS as Parameters,
    CUDA_KERNEL_NODE_PARAMS_v1 as OldParameters, CUDA_MEMSET_NODE_PARAMS, CUgraphNodeParams,
    CUgraphNodeType as Kind, CUresult,
};

use super::graph_kernel::{kernel_node, newer};
use super::graph_node::work;
use super::graph_work::{fill_node, host_node};
use crate::abi::{CopyOrder, Given, Handle, Ready};
use crate::outcome::Outcome;
use crate::work::Node;

fn replace(call: &Ready, exec: Handle, node: Handle, new: Node) -> Outcome {
    let exec = call.driver.graph_parts.execs.get(exec.0).ok_or(CUresult::INVALID_VALUE)?;
    exec.replace(node.0, new)
}

/// # Safety
///
/// As for [`kernel_node`].
pub(crate) unsafe fn cuGraphExecKernelNodeSetParams_v2(
    call: Ready,
    exec: Handle,
    node: Handle,
    wanted: Given<Parameters>,
) -> Outcome {
    // SAFETY: passed on.
    let kernel = unsafe { kernel_node(&call, &wanted.0) }?;
    replace(&call, exec, node, kernel)
}

/// # Safety
///
/// As for [`cuGraphExecKernelNodeSetParams_v2`].
pub(crate) unsafe fn cuGraphExecKernelNodeSetParams(
    call: Ready,
    exec: Handle,
    node: Handle,
    wanted: Given<OldParameters>,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { cuGraphExecKernelNodeSetParams_v2(call, exec, node, Given(newer(wanted.0))) }
}

pub(crate) fn cuGraphExecMemcpyNodeSetParams(
    call: Ready,
    exec: Handle,
    node: Handle,
    copy: CopyOrder,
    _context: Handle,
) -> Outcome {
    replace(&call, exec, node, Node::Copy(copy))
}

pub(crate) fn cuGraphExecMemsetNodeSetParams(
    call: Ready,
    exec: Handle,
    node: Handle,
    wanted: Given<CUDA_MEMSET_NODE_PARAMS>,
    _context: Handle,
) -> Outcome {
    replace(&call, exec, node, fill_node(wanted.0)?)
}

pub(crate) fn cuGraphExecHostNodeSetParams(
    call: Ready,
    exec: Handle,
    node: Handle,
    wanted: Given<CUDA_HOST_NODE_PARAMS>,
) -> Outcome {
    replace(&call, exec, node, host_node(wanted.0)?)
}

/// # Safety
///
/// As for [`kernel_node`]; `parameters` must be null or valid for reading.
pub(crate) unsafe fn cuGraphExecNodeSetParams(
    call: Ready,
    exec: Handle,
    node: Handle,
    parameters: *mut CUgraphNodeParams,
) -> Outcome {
    if parameters.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so the caller's; the kind comes first.
    let kind = unsafe { parameters.cast::<Kind>().read_unaligned() };
    // SAFETY: as above; stays inside of the structure.
    let of_kind = unsafe { &raw const (*parameters).reserved1 }.cast::<c_longlong>();
    // SAFETY: passed on; the parameters of this kind begin there.
    replace(&call, exec, node, unsafe { work(&call, kind, of_kind) }?)
}
