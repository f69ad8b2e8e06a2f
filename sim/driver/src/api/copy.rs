//! Copies.

use std::ffi::c_void;

use cuda_sys::CUresult;
use sim_kernel::Direction;

use crate::abi::{Address, CopyOrder, Current, Handle, Size};
use crate::array::Array;
use crate::memory::{Block, End, Place};
use crate::outcome::Outcome;
use crate::work::{Node, forbid_unsafe};

/// Copies, and returns when the stream has done it; a copy between devices only queues it.
fn now(call: &Current, order: &CopyOrder) -> Outcome {
    forbid_unsafe(call.driver)?;
    later(call, order, Handle(0), true)
}

/// Copies in a stream. `wait`: as a call without a stream does.
fn later(call: &Current, order: &CopyOrder, stream: Handle, wait: bool) -> Outcome {
    let lane = call.lane(stream.0)?;
    let bytes = order.block.bytes()?;
    if bytes == 0 {
        return Ok(());
    }
    let node = Node::Copy(order.clone());
    if lane.capture(call.driver, || node.clone())? {
        return Ok(());
    }
    // SAFETY: the caller of the copy vouches for its host memory.
    let Some(direction) = (unsafe { node.run(call.driver, &lane) })? else {
        return Ok(());
    };
    if wait && direction != Direction::DeviceToDevice { lane.synchronize(call.driver) } else { Ok(()) }
}

fn host(pointer: *const c_void) -> Place {
    Place::Host(pointer.expose_provenance() as u64)
}

fn line(destination: Place, source: Place, bytes: Size) -> CopyOrder {
    CopyOrder::line(destination, source, bytes.0 as u64)
}

pub(crate) fn cuMemcpy(call: Current, to: Address, from: Address, bytes: Size) -> Outcome {
    now(&call, &line(Place::Unified(to.0), Place::Unified(from.0), bytes))
}

pub(crate) fn cuMemcpyAsync(
    call: Current,
    to: Address,
    from: Address,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &line(Place::Unified(to.0), Place::Unified(from.0), bytes), stream, false)
}

pub(crate) fn cuMemcpyHtoD_v2(call: Current, to: Address, from: *const c_void, bytes: Size) -> Outcome {
    now(&call, &line(Place::Device(to.0), host(from), bytes))
}

pub(crate) fn cuMemcpyHtoDAsync_v2(
    call: Current,
    to: Address,
    from: *const c_void,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &line(Place::Device(to.0), host(from), bytes), stream, false)
}

pub(crate) fn cuMemcpyDtoH_v2(call: Current, to: *mut c_void, from: Address, bytes: Size) -> Outcome {
    now(&call, &line(host(to), Place::Device(from.0), bytes))
}

pub(crate) fn cuMemcpyDtoHAsync_v2(
    call: Current,
    to: *mut c_void,
    from: Address,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &line(host(to), Place::Device(from.0), bytes), stream, false)
}

pub(crate) fn cuMemcpyDtoD_v2(call: Current, to: Address, from: Address, bytes: Size) -> Outcome {
    now(&call, &line(Place::Device(to.0), Place::Device(from.0), bytes))
}

pub(crate) fn cuMemcpyDtoDAsync_v2(
    call: Current,
    to: Address,
    from: Address,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &line(Place::Device(to.0), Place::Device(from.0), bytes), stream, false)
}

fn check_peers(call: &Current, contexts: [Handle; 2]) -> Outcome {
    for context in contexts {
        let known = call.driver.contexts.get(context.0).filter(|context| context.is_alive());
        known.ok_or(CUresult::INVALID_CONTEXT)?;
    }
    Ok(())
}

pub(crate) fn cuMemcpyPeer(
    call: Current,
    to: Address,
    to_context: Handle,
    from: Address,
    from_context: Handle,
    bytes: Size,
) -> Outcome {
    check_peers(&call, [to_context, from_context])?;
    cuMemcpyDtoD_v2(call, to, from, bytes)
}

pub(crate) fn cuMemcpyPeerAsync(
    call: Current,
    to: Address,
    to_context: Handle,
    from: Address,
    from_context: Handle,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    check_peers(&call, [to_context, from_context])?;
    cuMemcpyDtoDAsync_v2(call, to, from, bytes, stream)
}

/// `bytes` bytes from `offset` of a one-dimensional array.
fn of_array(call: &Current, array: Handle, offset: Size, bytes: Size) -> Outcome<End> {
    Array::of(call.driver, array.0)?.line(offset.0 as u64, bytes.0 as u64)
}

fn order(destination: End, source: End, bytes: Size) -> CopyOrder {
    CopyOrder { destination, source, block: Block::line(bytes.0 as u64) }
}

pub(crate) fn cuMemcpyHtoA_v2(
    call: Current,
    to: Handle,
    offset: Size,
    from: *const c_void,
    bytes: Size,
) -> Outcome {
    now(&call, &order(of_array(&call, to, offset, bytes)?, End::flat(host(from)), bytes))
}

pub(crate) fn cuMemcpyHtoAAsync_v2(
    call: Current,
    to: Handle,
    offset: Size,
    from: *const c_void,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &order(of_array(&call, to, offset, bytes)?, End::flat(host(from)), bytes), stream, false)
}

pub(crate) fn cuMemcpyAtoH_v2(
    call: Current,
    to: *mut c_void,
    from: Handle,
    offset: Size,
    bytes: Size,
) -> Outcome {
    now(&call, &order(End::flat(host(to)), of_array(&call, from, offset, bytes)?, bytes))
}

pub(crate) fn cuMemcpyAtoHAsync_v2(
    call: Current,
    to: *mut c_void,
    from: Handle,
    offset: Size,
    bytes: Size,
    stream: Handle,
) -> Outcome {
    later(&call, &order(End::flat(host(to)), of_array(&call, from, offset, bytes)?, bytes), stream, false)
}

pub(crate) fn cuMemcpyDtoA_v2(
    call: Current,
    to: Handle,
    offset: Size,
    from: Address,
    bytes: Size,
) -> Outcome {
    let source = End::flat(Place::Device(from.0));
    now(&call, &order(of_array(&call, to, offset, bytes)?, source, bytes))
}

pub(crate) fn cuMemcpyAtoD_v2(
    call: Current,
    to: Address,
    from: Handle,
    offset: Size,
    bytes: Size,
) -> Outcome {
    let destination = End::flat(Place::Device(to.0));
    now(&call, &order(destination, of_array(&call, from, offset, bytes)?, bytes))
}

pub(crate) fn cuMemcpyAtoA_v2(
    call: Current,
    to: Handle,
    to_offset: Size,
    from: Handle,
    from_offset: Size,
    bytes: Size,
) -> Outcome {
    let source = of_array(&call, from, from_offset, bytes)?;
    now(&call, &order(of_array(&call, to, to_offset, bytes)?, source, bytes))
}

/// Rectangles and boxes of either width.
pub(crate) fn cuMemcpy2D_v2(call: Current, order: CopyOrder) -> Outcome {
    now(&call, &order)
}

/// Rectangles and boxes of either width.
pub(crate) fn cuMemcpy2DAsync_v2(call: Current, order: CopyOrder, stream: Handle) -> Outcome {
    later(&call, &order, stream, false)
}

same! {
    cuMemcpy: cuMemcpy_ptds;
    cuMemcpyAsync: cuMemcpyAsync_ptsz;
    cuMemcpyHtoD_v2: cuMemcpyHtoD cuMemcpyHtoD_v2_ptds;
    cuMemcpyHtoDAsync_v2: cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2_ptsz;
    cuMemcpyDtoH_v2: cuMemcpyDtoH cuMemcpyDtoH_v2_ptds;
    cuMemcpyDtoHAsync_v2: cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2_ptsz;
    cuMemcpyDtoD_v2: cuMemcpyDtoD cuMemcpyDtoD_v2_ptds;
    cuMemcpyDtoDAsync_v2: cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2_ptsz;
    cuMemcpyHtoA_v2: cuMemcpyHtoA cuMemcpyHtoA_v2_ptds;
    cuMemcpyHtoAAsync_v2: cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2_ptsz;
    cuMemcpyAtoH_v2: cuMemcpyAtoH cuMemcpyAtoH_v2_ptds;
    cuMemcpyAtoHAsync_v2: cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2_ptsz;
    cuMemcpyDtoA_v2: cuMemcpyDtoA cuMemcpyDtoA_v2_ptds;
    cuMemcpyAtoD_v2: cuMemcpyAtoD cuMemcpyAtoD_v2_ptds;
    cuMemcpyAtoA_v2: cuMemcpyAtoA cuMemcpyAtoA_v2_ptds;
    cuMemcpyPeer: cuMemcpyPeer_ptds;
    cuMemcpyPeerAsync: cuMemcpyPeerAsync_ptsz;
    cuMemcpy2D_v2: cuMemcpy2D cuMemcpy2D_v2_ptds cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
        cuMemcpy2DUnaligned_v2_ptds cuMemcpy3D cuMemcpy3D_v2 cuMemcpy3D_v2_ptds;
    cuMemcpy2DAsync_v2: cuMemcpy2DAsync cuMemcpy2DAsync_v2_ptsz cuMemcpy3DAsync cuMemcpy3DAsync_v2
        cuMemcpy3DAsync_v2_ptsz;
}
