//! Streams that the program creates.

use std::sync::Arc;

use cuda_sys::CUresult;
use sim_kernel::{ContextId, StreamId, StreamKind};

use super::{Capture, Capturing};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// `CU_STREAM_NON_BLOCKING`.
pub(crate) const NON_BLOCKING: u32 = 1;

/// The highest priority of a stream on devices with priorities; the lowest is 0.
pub(crate) const HIGHEST_PRIORITY: i32 = -5;

/// A stream.
#[derive(Debug)]
pub(crate) struct Stream {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// What the machine calls it.
    pub(crate) id: StreamId,
    /// The life of its context that it belongs to.
    pub(crate) context: ContextId,
    /// Its context.
    pub(crate) owner: Arc<Context>,
    /// Creation flags.
    pub(crate) flags: u32,
    /// Its priority: kept, not acted on.
    pub(crate) priority: i32,
    /// What it captures.
    pub(crate) capturing: Capturing,
}

impl Stream {
    /// Creates a stream. Priorities out of range mean the nearest one.
    pub(crate) fn create(driver: &Driver, owner: Arc<Context>, flags: u32, priority: i32) -> Outcome<usize> {
        if flags & !NON_BLOCKING != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let kind = if flags == NON_BLOCKING { StreamKind::NonBlocking } else { StreamKind::Blocking };
        let context = owner.life()?.id;
        let id = driver.client.create_stream(context, kind).map_err(code)?;
        let priority = priority.clamp(HIGHEST_PRIORITY, 0);
        let capturing = Capturing::default();
        let made = driver.streams.insert_with(|handle| Self {
            handle,
            id,
            context,
            owner,
            flags,
            priority,
            capturing,
        });
        Ok(made.handle)
    }

    /// Streams of this life of a context that capture.
    pub(crate) fn capturing_in(driver: &Driver, context: ContextId) -> Vec<Arc<Self>> {
        if !Capture::is_any_running(driver) {
            return Vec::new();
        }
        let mut streams = driver.streams.all();
        streams.retain(|stream| stream.context == context && stream.capturing.is_running());
        streams
    }

    /// Breaks off what these streams capture, which the caller is told by `code` if there is any.
    pub(crate) fn refuse_all(streams: &[Arc<Self>], code: CUresult) -> Outcome {
        streams.iter().map(|stream| stream.capturing.refuse(code)).fold(Ok(()), Outcome::and)
    }

    /// Whether it takes no part in the barriers of the legacy default stream.
    pub(crate) fn is_independent(&self) -> bool {
        self.flags & NON_BLOCKING != 0
    }
}
