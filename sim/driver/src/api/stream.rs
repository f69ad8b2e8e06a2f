//! Streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;

use cuda_sys::{CUhostFn, CUresult, CUstreamCallback};
use sim_kernel::Operation;

use crate::abi::{Current, Handle, HandleOut, Out, Ready};
use crate::outcome::Outcome;
use crate::process::code;
use crate::work::{Callback, Event, Node, Stream, forbid_unsafe};

/// `CU_EVENT_WAIT_EXTERNAL` and `CU_EVENT_RECORD_EXTERNAL`: a node of its own in a captured graph.
pub(super) const EXTERNAL: c_uint = 1;

pub(crate) fn cuStreamCreate(call: Current, made: HandleOut, flags: c_uint) -> Outcome {
    cuStreamCreateWithPriority(call, made, flags, 0)
}

pub(crate) fn cuStreamCreateWithPriority(
    call: Current,
    made: HandleOut,
    flags: c_uint,
    priority: c_int,
) -> Outcome {
    made.set(Stream::create(call.driver, call.context, flags, priority)?);
    Ok(())
}

/// What the stream holds is still done.
pub(crate) fn cuStreamDestroy_v2(call: Ready, stream: Handle) -> Outcome {
    let stream = call.driver.streams.remove(stream.0).ok_or(CUresult::INVALID_HANDLE)?;
    call.driver.client.destroy_stream(stream.id).map_err(code)
}

pub(crate) fn cuStreamQuery(call: Ready, stream: Handle) -> Outcome {
    let lane = call.lane(stream.0)?;
    lane.refuse_capture(call.driver)?;
    forbid_unsafe(call.driver)?;
    call.driver.client.query_stream(lane.id).map_err(code)
}

pub(crate) fn cuStreamSynchronize(call: Ready, stream: Handle) -> Outcome {
    let lane = call.lane(stream.0)?;
    lane.refuse_capture(call.driver)?;
    forbid_unsafe(call.driver)?;
    lane.synchronize(call.driver)
}

/// The event may be of any context.
pub(crate) fn cuStreamWaitEvent(call: Ready, stream: Handle, event: Handle, flags: c_uint) -> Outcome {
    if flags > EXTERNAL {
        return Err(CUresult::INVALID_VALUE);
    }
    let (event, lane) = (Event::of(call.driver, event.0)?, call.lane(stream.0)?);
    if flags == EXTERNAL && lane.capture(call.driver, || Node::Wait(Arc::clone(&event)))? {
        return Ok(());
    }
    let is_capturing = lane.stream.as_ref().is_some_and(|stream| stream.capturing.is_running());
    match event.capture() {
        Some((capture, seen)) => {
            // A default stream has no part in a capture.
            let stream = lane.stream.as_ref().ok_or(CUresult::STREAM_CAPTURE_IMPLICIT)?;
            stream.capturing.join(stream.handle, &capture, &seen)
        }
        None if is_capturing => {
            lane.stream.map_or(Ok(()), |stream| stream.capturing.refuse(CUresult::STREAM_CAPTURE_ISOLATION))
        }
        None => lane.enqueue(call.driver, Operation::Wait(event.id)),
    }
}

pub(crate) fn cuStreamAddCallback(
    call: Ready,
    stream: Handle,
    callback: CUstreamCallback,
    data: *mut c_void,
    flags: c_uint,
) -> Outcome {
    let (Some(callback), 0) = (callback, flags) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let lane = call.lane(stream.0)?;
    let (callback, data) = (Callback::Stream(callback, stream.0), data.expose_provenance());
    call.driver.host_calls.enqueue(call.driver, &lane, callback, data)
}

pub(crate) fn cuLaunchHostFunc(
    call: Ready,
    stream: Handle,
    function: CUhostFn,
    data: *mut c_void,
) -> Outcome {
    let function = function.ok_or(CUresult::INVALID_VALUE)?;
    let lane = call.lane(stream.0)?;
    let (callback, data) = (Callback::Function(function), data.expose_provenance());
    if lane.capture(call.driver, || Node::Host(callback, data))? {
        return Ok(());
    }
    call.driver.host_calls.enqueue(call.driver, &lane, callback, data)
}

pub(crate) fn cuStreamGetCtx(call: Ready, stream: Handle, context: HandleOut) -> Outcome {
    context.set(call.lane(stream.0)?.context.handle);
    Ok(())
}

pub(crate) fn cuStreamGetId(call: Ready, stream: Handle, id: Out<c_ulonglong>) -> Outcome {
    id.set(call.lane(stream.0)?.id.0);
    Ok(())
}

fn created(call: &Ready, stream: Handle) -> Outcome<Option<Arc<Stream>>> {
    Ok(call.lane(stream.0)?.stream)
}

pub(crate) fn cuStreamGetFlags(call: Ready, stream: Handle, flags: Out<c_uint>) -> Outcome {
    flags.set(created(&call, stream)?.map_or(0, |stream| stream.flags));
    Ok(())
}

pub(crate) fn cuStreamGetPriority(call: Ready, stream: Handle, priority: Out<c_int>) -> Outcome {
    priority.set(created(&call, stream)?.map_or(0, |stream| stream.priority));
    Ok(())
}

same! {
    cuStreamDestroy_v2: cuStreamDestroy;
    cuStreamQuery: cuStreamQuery_ptsz;
    cuStreamSynchronize: cuStreamSynchronize_ptsz;
    cuStreamWaitEvent: cuStreamWaitEvent_ptsz;
    cuStreamAddCallback: cuStreamAddCallback_ptsz;
    cuLaunchHostFunc: cuLaunchHostFunc_ptsz;
    cuStreamGetCtx: cuStreamGetCtx_ptsz;
    cuStreamGetId: cuStreamGetId_ptsz;
    cuStreamGetFlags: cuStreamGetFlags_ptsz;
    cuStreamGetPriority: cuStreamGetPriority_ptsz;
}
