//! Events.

use std::ffi::c_uint;
use std::sync::Arc;

use cuda_sys::CUresult;
use sim_kernel::Operation;

use super::stream::EXTERNAL;
use crate::abi::{Current, Handle, HandleOut, Out, Ready};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::code;
use crate::work::{Event, Node, forbid_unsafe};

pub(crate) fn cuEventCreate(call: Current, made: HandleOut, flags: c_uint) -> Outcome {
    made.set(Event::create(call.driver, call.context, flags)?);
    Ok(())
}

pub(crate) fn cuEventDestroy_v2(call: Ready, event: Handle) -> Outcome {
    let event = call.driver.events.remove(event.0).ok_or(CUresult::INVALID_HANDLE)?;
    call.driver.client.destroy_event(event.id).map_err(code)
}

pub(crate) fn cuEventRecord(call: Ready, event: Handle, stream: Handle) -> Outcome {
    cuEventRecordWithFlags(call, event, stream, 0)
}

/// The event must be of the stream's context.
pub(crate) fn cuEventRecordWithFlags(call: Ready, event: Handle, stream: Handle, flags: c_uint) -> Outcome {
    if flags > EXTERNAL {
        return Err(CUresult::INVALID_VALUE);
    }
    let event = Event::of(call.driver, event.0)?;
    let lane = call.lane(stream.0)?;
    if lane.context.life()?.id != event.context {
        return Err(CUresult::INVALID_HANDLE);
    }
    if flags == EXTERNAL && lane.capture(call.driver, || Node::Record(Arc::clone(&event)))? {
        return Ok(());
    }
    let captured = lane.stream.as_ref().and_then(|stream| stream.capturing.record(stream.handle));
    let is_captured = captured.is_some();
    *lock(&event.captured) = captured;
    if is_captured { Ok(()) } else { lane.enqueue(call.driver, Operation::Record(event.id)) }
}

pub(crate) fn cuEventQuery(call: Ready, event: Handle) -> Outcome {
    let event = Event::of(call.driver, event.0)?;
    event.refuse_capture()?;
    forbid_unsafe(call.driver)?;
    call.driver.client.query_event(event.id).map_err(code)
}

pub(crate) fn cuEventSynchronize(call: Ready, event: Handle) -> Outcome {
    let event = Event::of(call.driver, event.0)?;
    event.refuse_capture()?;
    forbid_unsafe(call.driver)?;
    call.driver.client.synchronize_event(event.id).map_err(code)
}

/// Negative when the event that is called the end came first.
pub(crate) fn cuEventElapsedTime(call: Ready, milliseconds: Out<f32>, start: Handle, end: Handle) -> Outcome {
    let (start, end) = (Event::of(call.driver, start.0)?, Event::of(call.driver, end.0)?);
    forbid_unsafe(call.driver)?;
    let between = |from: &Event, to: &Event| call.driver.client.elapsed(from.id, to.id).map_err(code);
    let elapsed = match between(&start, &end)?.0 {
        0 => -(between(&end, &start)?.0 as f64),
        forth => forth as f64,
    };
    #[expect(clippy::cast_possible_truncation, reason = "the interface is a float")]
    milliseconds.set((elapsed / 1e6) as f32);
    Ok(())
}

same! {
    cuEventDestroy_v2: cuEventDestroy;
    cuEventRecord: cuEventRecord_ptsz;
    cuEventRecordWithFlags: cuEventRecordWithFlags_ptsz;
    cuEventElapsedTime: cuEventElapsedTime_v2;
}
