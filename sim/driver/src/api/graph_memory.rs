//! Nodes that allocate and free, and what graphs have of a device.

use std::ffi::c_void;

use cuda_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice, CUdeviceptr, CUgraphMem_attribute as Attribute, CUgraphNode,
    CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPoolProps, CUresult,
};
use sim_kernel::Bytes;

use super::graph_nodes::check;
use crate::abi::{Address, Handle, HandleOut, Out, Ready, Size};
use crate::memory::{self, GraphBlock};
use crate::outcome::Outcome;
use crate::process::code;
use crate::width::to_usize;
use crate::work::{GraphNode, Node, forbid_unsafe};

/// # Safety
///
/// `dependencies` must be null or `count` nodes; `parameters` must be null or valid for reading and writing.
pub(crate) unsafe fn cuGraphAddMemAllocNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    parameters: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> Outcome {
    // SAFETY: passed on.
    let graph = unsafe { check(&call, graph, dependencies, count) }?;
    if parameters.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so the caller's.
    let mut wanted = unsafe { parameters.read_unaligned() };
    let device = device_of(&wanted.poolProps)?;
    let (handle, address) = graph.allocate(call.driver, device, wanted.bytesize)?;
    wanted.dptr = address;
    // SAFETY: as above.
    unsafe { parameters.write_unaligned(wanted) };
    node.set(handle);
    Ok(())
}

/// Memory of graphs is that of a device and cannot be exported.
fn device_of(properties: &CUmemPoolProps) -> Outcome<i32> {
    let is_pinned = properties.allocType == CUmemAllocationType::PINNED;
    let is_private = properties.handleTypes == CUmemAllocationHandleType::NONE;
    if is_pinned && is_private && properties.location.kind == CUmemLocationType::DEVICE {
        Ok(properties.location.id)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// # Safety
///
/// `dependencies` must be null or `count` nodes.
pub(crate) unsafe fn cuGraphAddMemFreeNode(
    call: Ready,
    node: HandleOut,
    graph: Handle,
    dependencies: *const CUgraphNode,
    count: Size,
    address: Address,
) -> Outcome {
    // SAFETY: passed on.
    let graph = unsafe { check(&call, graph, dependencies, count) }?;
    node.set(graph.free(call.driver, address.0)?);
    Ok(())
}

pub(crate) fn cuGraphMemAllocNodeGetParams(
    call: Ready,
    node: Handle,
    parameters: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Outcome {
    let Node::Allocate(block, bytes) = GraphNode::node(call.driver, node.0)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    parameters.set(described(&block, bytes));
    Ok(())
}

fn described(block: &GraphBlock, bytes: Bytes) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    let location = CUmemLocation { kind: CUmemLocationType::DEVICE, id: block.device };
    CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: CUmemPoolProps {
            allocType: CUmemAllocationType::PINNED,
            handleTypes: CUmemAllocationHandleType::NONE,
            location,
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            gpuDirectRDMACapable: 0,
            reserved: [0; 53],
        },
        accessDescs: std::ptr::null::<CUmemAccessDesc>(),
        accessDescCount: 0,
        bytesize: to_usize(bytes.0),
        dptr: block.address,
    }
}

pub(crate) fn cuGraphMemFreeNodeGetParams(call: Ready, node: Handle, address: Out<CUdeviceptr>) -> Outcome {
    let Node::Free(block) = GraphNode::node(call.driver, node.0)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    address.set(block.address);
    Ok(())
}

/// # Safety
///
/// `value` must be null or a place for 64 bits.
pub(crate) unsafe fn cuDeviceGetGraphMemAttribute(
    call: Ready,
    device: CUdevice,
    attribute: Attribute,
    value: *mut c_void,
) -> Outcome {
    let memory = memory::of_graphs(call.driver, device)?;
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let amount = match attribute {
        Attribute::USED_MEM_CURRENT => memory.used,
        Attribute::USED_MEM_HIGH => memory.used_peak,
        Attribute::RESERVED_MEM_CURRENT => memory.reserved,
        Attribute::RESERVED_MEM_HIGH => memory.reserved_peak,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    // SAFETY: not null, so a place for an amount.
    unsafe { value.cast::<u64>().write_unaligned(amount.0) };
    Ok(())
}

/// A peak can only begin anew.
///
/// # Safety
///
/// `value` must be null or 64 bits.
pub(crate) unsafe fn cuDeviceSetGraphMemAttribute(
    call: Ready,
    device: CUdevice,
    attribute: Attribute,
    value: *mut c_void,
) -> Outcome {
    let index = call.driver.device(device)?.description.index;
    // SAFETY: 64 bits unless it is null.
    if value.is_null() || unsafe { value.cast::<u64>().read_unaligned() } != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (reserved, used) = match attribute {
        Attribute::RESERVED_MEM_HIGH => (true, false),
        Attribute::USED_MEM_HIGH => (false, true),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    call.driver.client.reset_graph_peaks(index, reserved, used).map_err(code)
}

pub(crate) fn cuDeviceGraphMemTrim(call: Ready, device: CUdevice) -> Outcome {
    let index = call.driver.device(device)?.description.index;
    forbid_unsafe(call.driver)?;
    call.driver.client.trim_graphs(index).map_err(code)
}
