//! Single nodes of a graph that can be launched, which are changed there: what a launch costs is to be measured anew. None of these
//! calls changes what the graph allocates.

use crate::abi::driver::real;
use crate::throttle;
use cuda_sys::*;

pub(crate) unsafe fn cuGraphExecKernelNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecKernelNodeSetParams(exec, node, params) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecKernelNodeSetParams_v2(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *const CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecKernelNodeSetParams_v2(exec, node, params) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecMemcpyNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecMemcpyNodeSetParams(exec, node, params, ctx) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecMemsetNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecMemsetNodeSetParams(exec, node, params, ctx) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecHostNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *const CUDA_HOST_NODE_PARAMS,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecHostNodeSetParams(exec, node, params) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecChildGraphNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    child: CUgraph,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecChildGraphNodeSetParams(exec, node, child) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphExecNodeSetParams(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: *mut CUgraphNodeParams,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphExecNodeSetParams(exec, node, params) };
    throttle::graph_changed(exec, result)
}

pub(crate) unsafe fn cuGraphNodeSetEnabled(
    exec: CUgraphExec,
    node: CUgraphNode,
    enabled: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuGraphNodeSetEnabled(exec, node, enabled) };
    throttle::graph_changed(exec, result)
}
