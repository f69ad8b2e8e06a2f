//! Kernel nodes of graphs.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_sys::{
    CUDA_KERNEL_NODE_PARAMS as Parameters, CUDA_KERNEL_NODE_PARAMS_v1 as OldParameters, CUcontext,
    CUfunction, CUgraphNode, CUkernel, CUresult,
};

use super::graph_nodes::add;
use super::launch::Shape;
use crate::abi::{Given, Handle, HandleOut, Out, Ready, Size};
use crate::outcome::Outcome;
use crate::work::{GraphNode, Node, SimArgs};

/// The node that parameters describe.
///
/// # Safety
///
/// The kernel's parameters must be as many pointers as the kernel has parameters.
pub(super) unsafe fn kernel_node(call: &Ready, wanted: &Parameters) -> Outcome<Node> {
    let named = if wanted.func.0.is_null() { wanted.kern.0.addr() } else { wanted.func.0.addr() };
    let shape = Shape {
        grid: (wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ),
        block: (wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ),
        shared: wanted.sharedMemBytes,
        cooperative: false,
    };
    // SAFETY: passed on.
    unsafe { shape.launch(call, Handle(named), wanted.kernelParams, wanted.extra) }?.node(call.driver)
}

/// # Safety
///
/// As for [`super::cuGraphAddEmptyNode`], and as for [`kernel_node`].
pub(crate) unsafe fn cuGraphAddKernelNode_v2(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    wanted: Given<Parameters>,
) -> Outcome {
    // SAFETY: passed on.
    let kernel = unsafe { kernel_node(&call, &wanted.0) }?;
    // SAFETY: passed on.
    unsafe { add(&call, &node, graph, (dependencies, count), kernel) }
}

/// # Safety
///
/// As for [`cuGraphAddKernelNode_v2`].
pub(crate) unsafe fn cuGraphAddKernelNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    wanted: Given<OldParameters>,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { cuGraphAddKernelNode_v2(call, node, graph, dependencies, count, Given(newer(wanted.0))) }
}

/// The newer structure is the older one and more.
pub(super) fn newer(old: OldParameters) -> Parameters {
    Parameters {
        func: old.func,
        gridDimX: old.gridDimX,
        gridDimY: old.gridDimY,
        gridDimZ: old.gridDimZ,
        blockDimX: old.blockDimX,
        blockDimY: old.blockDimY,
        blockDimZ: old.blockDimZ,
        sharedMemBytes: old.sharedMemBytes,
        kernelParams: old.kernelParams,
        extra: old.extra,
        kern: CUkernel(null_mut()),
        ctx: CUcontext(null_mut()),
    }
}

thread_local! {
    /// What the launch that this thread was told last does differently, and the list of parameters that leads there.
    static LAST_ARGS: Cell<SimArgs> =
        const { Cell::new(SimArgs { magic: 0, dur_ns: 0, sm_permille: 0, mem_permille: 0 }) };
    static LAST_LIST: Cell<*mut c_void> = const { Cell::new(null_mut()) };
}

/// The launch of a kernel node. What it says of the kernel's parameters is good until this thread asks again.
fn told(call: &Ready, node: Handle) -> Outcome<OldParameters> {
    let Node::Kernel(launch, _) = GraphNode::node(call.driver, node.0)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    let (blocks, threads) = (launch.grid.blocks, launch.grid.threads);
    let list = launch.args.map_or(null_mut(), |args| {
        LAST_ARGS.set(args);
        LAST_LIST.set(LAST_ARGS.with(Cell::as_ptr).cast());
        LAST_LIST.with(Cell::as_ptr)
    });
    Ok(OldParameters {
        func: CUfunction(std::ptr::without_provenance_mut(launch.function.handle)),
        gridDimX: blocks.0,
        gridDimY: blocks.1,
        gridDimZ: blocks.2,
        blockDimX: threads.0,
        blockDimY: threads.1,
        blockDimZ: threads.2,
        sharedMemBytes: launch.shared,
        kernelParams: list,
        extra: null_mut(),
    })
}

pub(crate) fn cuGraphKernelNodeGetParams(call: Ready, node: Handle, place: Out<OldParameters>) -> Outcome {
    place.set(told(&call, node)?);
    Ok(())
}

pub(crate) fn cuGraphKernelNodeGetParams_v2(call: Ready, node: Handle, place: Out<Parameters>) -> Outcome {
    place.set(newer(told(&call, node)?));
    Ok(())
}

/// # Safety
///
/// As for [`kernel_node`].
pub(crate) unsafe fn cuGraphKernelNodeSetParams_v2(
    call: Ready,
    node: Handle,
    wanted: Given<Parameters>,
) -> Outcome {
    // SAFETY: passed on.
    let kernel = unsafe { kernel_node(&call, &wanted.0) }?;
    GraphNode::replace_kernel(call.driver, node.0, kernel)
}

/// # Safety
///
/// As for [`kernel_node`].
pub(crate) unsafe fn cuGraphKernelNodeSetParams(
    call: Ready,
    node: Handle,
    wanted: Given<OldParameters>,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { cuGraphKernelNodeSetParams_v2(call, node, Given(newer(wanted.0))) }
}
