//! Capture: what a stream is given becomes a graph.

use cuda_sys::{
    CUgraphEdgeData, CUgraphNode, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus, cuuint64_t,
};
use std::cell::Cell;

use crate::abi::{Handle, HandleOut, MaybeHandleOut, MaybeOut, Out, Ready};
use crate::outcome::Outcome;
use crate::work::thread_mode;

pub(crate) fn cuStreamBeginCapture(call: Ready, stream: Handle) -> Outcome {
    cuStreamBeginCapture_v2(call, stream, CUstreamCaptureMode::GLOBAL)
}

/// The legacy default stream cannot capture; that of a thread could, which is not simulated.
pub(crate) fn cuStreamBeginCapture_v2(call: Ready, stream: Handle, mode: CUstreamCaptureMode) -> Outcome {
    let stream = call.lane(stream.0)?.stream.ok_or(CUresult::STREAM_CAPTURE_UNSUPPORTED)?;
    stream.capturing.begin(call.driver, stream.handle, mode)
}

pub(crate) fn cuStreamEndCapture(call: Ready, stream: Handle, graph: HandleOut) -> Outcome {
    let stream = call.lane(stream.0)?.stream.ok_or(CUresult::ILLEGAL_STATE)?;
    let ended = stream.capturing.end(call.driver, stream.handle);
    graph.set(*ended.as_ref().unwrap_or(&0));
    ended.map(drop)
}

fn status_of(call: &Ready, stream: Handle) -> Outcome<(CUstreamCaptureStatus, u64)> {
    let lane = call.lane(stream.0)?;
    lane.refuse_implied(call.driver)?;
    Ok(lane.stream.map_or((CUstreamCaptureStatus::NONE, 0), |stream| stream.capturing.status()))
}

pub(crate) fn cuStreamIsCapturing(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
) -> Outcome {
    status.set(status_of(&call, stream)?.0);
    Ok(())
}

/// The other output is only written for a stream that captures.
pub(crate) fn cuStreamGetCaptureInfo(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
    id: MaybeOut<u64>,
) -> Outcome {
    let (found, capture) = status_of(&call, stream)?;
    status.set(found);
    if found == CUstreamCaptureStatus::ACTIVE {
        id.set(capture);
    }
    Ok(())
}

thread_local! {
    /// Where the node is that the caller was told last.
    static LAST_NODE: Cell<CUgraphNode> = const { Cell::new(CUgraphNode(std::ptr::null_mut())) };
}

/// The next piece of work comes after the last one, whichever stream that was in, because nodes are done in order.
pub(crate) fn cuStreamGetCaptureInfo_v2(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
    id: MaybeOut<cuuint64_t>,
    graph: MaybeHandleOut,
    dependencies: MaybeOut<*const CUgraphNode>,
    count: MaybeOut<usize>,
) -> Outcome {
    let capturing = call.lane(stream.0)?.stream.and_then(|stream| stream.capturing.graph());
    if let Some((handle, last)) = capturing {
        LAST_NODE.set(CUgraphNode(std::ptr::without_provenance_mut(last)));
        graph.set(handle);
        let place =
            if last == 0 { std::ptr::null() } else { LAST_NODE.with(|node| node.as_ptr().cast_const()) };
        dependencies.set(place);
        count.set((last != 0).into());
    }
    cuStreamGetCaptureInfo(call, stream, status, id)
}

/// As for [`cuStreamGetCaptureInfo_v2`].
pub(crate) fn cuStreamGetCaptureInfo_v3(
    call: Ready,
    stream: Handle,
    status: Out<CUstreamCaptureStatus>,
    id: MaybeOut<cuuint64_t>,
    graph: MaybeHandleOut,
    dependencies: MaybeOut<*const CUgraphNode>,
    edges: MaybeOut<*const CUgraphEdgeData>,
    count: MaybeOut<usize>,
) -> Outcome {
    // Edges without data: none of a capture has any.
    edges.set(std::ptr::null());
    cuStreamGetCaptureInfo_v2(call, stream, status, id, graph, dependencies, count)
}

/// Exchanges the mode of this thread.
pub(crate) fn cuThreadExchangeStreamCaptureMode(_: Ready, mode: *mut CUstreamCaptureMode) -> Outcome {
    if mode.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so the caller's variable.
    let wanted = unsafe { mode.read() };
    if wanted > CUstreamCaptureMode::RELAXED {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: as above.
    unsafe { mode.write(thread_mode(wanted)) };
    Ok(())
}

same! {
    cuStreamBeginCapture: cuStreamBeginCapture_ptsz;
    cuStreamBeginCapture_v2: cuStreamBeginCapture_v2_ptsz;
    cuStreamEndCapture: cuStreamEndCapture_ptsz;
    cuStreamGetCaptureInfo_v2: cuStreamGetCaptureInfo_v2_ptsz;
    cuStreamGetCaptureInfo_v3: cuStreamGetCaptureInfo_v3_ptsz;
    cuStreamIsCapturing: cuStreamIsCapturing_ptsz;
    cuStreamGetCaptureInfo: cuStreamGetCaptureInfo_ptsz;
}
