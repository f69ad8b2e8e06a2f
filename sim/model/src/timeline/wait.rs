//! Waiting for work: what is waited for, whether it is complete, and when that could be at the earliest.

use super::stream::{Role, Stream};
use super::{Fence, Timeline};
use crate::{ContextId, EventId, Nanos, ProcessId, Refusal, StreamId};

/// Work that somebody waits for: complete when all of it is. Later work does not extend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait(Vec<Fence>);

impl Timeline {
    /// All work that a stream holds now; of the legacy default stream also that of the blocking streams.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn wait_for_stream(&self, process: ProcessId, id: StreamId) -> Result<Wait, Refusal> {
        let stream = self.owned_stream(process, id)?;
        let barrier =
            if stream.role == Role::Legacy { self.barrier(stream.context, Role::Legacy) } else { Vec::new() };
        let own = Fence { stream: id, sequence: stream.issued() };
        Ok(Wait(barrier.into_iter().chain([own]).collect()))
    }

    /// The last record of an event.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn wait_for_event(&self, process: ProcessId, id: EventId) -> Result<Wait, Refusal> {
        Ok(Wait(self.owned_event(process, id)?.recorded.into_iter().collect()))
    }

    /// All work that a context holds now.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub(crate) fn wait_for_context(&self, id: ContextId) -> Result<Wait, Refusal> {
        let holder = self.contexts.get(&id).ok_or(Refusal::InvalidContext)?;
        let fence = |stream: &StreamId| {
            let sequence = self.streams.get(stream)?.issued();
            Some(Fence { stream: *stream, sequence })
        };
        Ok(Wait(holder.streams.iter().filter_map(fence).collect()))
    }

    /// Whether all of it is complete or dropped.
    pub(crate) fn is_complete(&self, wait: &Wait) -> bool {
        wait.0.iter().all(|fence| self.is_passed(*fence))
    }

    /// Whether a stream of a process has nothing left to do, or is gone.
    pub(crate) fn is_idle(&self, process: ProcessId, id: StreamId) -> bool {
        self.wait_for_stream(process, id).map_or(true, |wait| self.is_complete(&wait))
    }

    /// No earlier than this can it be complete, whatever else happens, unless it is dropped.
    pub(crate) fn earliest(&self, wait: &Wait) -> Nanos {
        let times = wait.0.iter().filter_map(|fence| {
            let stream = self.streams.get(&fence.stream)?;
            Some(stream.least_time(fence.sequence, self.head_left(fence.stream, stream)))
        });
        Nanos(self.now.0.saturating_add(times.max().unwrap_or_default().0))
    }

    /// No earlier than this can a stream that was full have an eighth of its places free, which is when a launcher that
    /// waits goes on: waking it for every single place would cost more than its launches.
    pub(crate) fn earliest_room(&self, id: StreamId) -> Nanos {
        let least = self.streams.get(&id).and_then(|stream| {
            let depth = self.engines(stream.device)?.queue_depth;
            let surplus = (stream.queue.len() + (depth / 8).max(1)).saturating_sub(depth);
            let next = stream.completed + u64::try_from(surplus).unwrap_or(u64::MAX);
            Some(stream.least_time(next, self.head_left(id, stream)))
        });
        Nanos(self.now.0.saturating_add(least.unwrap_or_default().0))
    }

    /// Whether a launcher that waits for room in this stream may go on; also when there is no such stream any more.
    pub(crate) fn has_room(&self, id: StreamId) -> bool {
        let Some(stream) = self.streams.get(&id) else { return true };
        let depth = self.engines(stream.device).map_or(0, |engines| engines.queue_depth);
        stream.queue.len() + (depth / 8).max(1) <= depth
    }

    /// How many operations the stream of a process can take now; any number when there is no such stream.
    pub(crate) fn room(&self, process: ProcessId, id: StreamId) -> usize {
        let Ok(stream) = self.owned_stream(process, id) else { return usize::MAX };
        let depth = self.engines(stream.device).map_or(0, |engines| engines.queue_depth);
        depth.saturating_sub(stream.queue.len())
    }

    pub(super) fn is_passed(&self, fence: Fence) -> bool {
        self.streams.get(&fence.stream).is_none_or(|stream| stream.completed >= fence.sequence)
    }

    /// What the head of a stream still takes, if it is on an engine.
    fn head_left(&self, id: StreamId, stream: &Stream) -> Option<Nanos> {
        if !stream.under_way {
            return None;
        }
        self.engines(stream.device)?.left(self.now, id)
    }
}
