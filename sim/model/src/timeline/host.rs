//! Host functions: what a stream hands to its process and waits for.

use std::collections::{BTreeMap, VecDeque};

use super::Timeline;
use super::stream::{Step, Stream};
use crate::{HostCall, HostCallId, ProcessId, Refusal, StreamId};

/// Host functions of every process.
#[derive(Clone, Debug, Default)]
pub(super) struct HostCalls {
    /// Reached by their stream and not yet taken by their process.
    due: BTreeMap<ProcessId, VecDeque<HostCall>>,
    /// Reached and not yet returned.
    unreturned: BTreeMap<HostCallId, StreamId>,
    /// Not yet reached, by process.
    ahead: BTreeMap<ProcessId, u64>,
    last: u64,
}

impl HostCalls {
    /// A host function was put into a stream of this process.
    pub(super) fn issue(&mut self, process: ProcessId) -> HostCallId {
        *self.ahead.entry(process).or_default() += 1;
        self.last += 1;
        HostCallId(self.last)
    }

    /// Its stream reached it.
    pub(super) fn reach(&mut self, process: ProcessId, call: HostCall) {
        self.leave(process);
        self.due.entry(process).or_default().push_back(call);
        self.unreturned.insert(call.id, call.stream);
    }

    /// A stream was dropped with what it holds.
    pub(super) fn drop_stream(&mut self, id: StreamId, stream: &Stream) {
        let reached = usize::from(stream.under_way);
        for _ in stream.queue.iter().skip(reached).filter(|entry| matches!(entry.step, Step::Host(_))) {
            self.leave(stream.process);
        }
        self.unreturned.retain(|_, of| *of != id);
        if let Some(due) = self.due.get_mut(&stream.process) {
            due.retain(|call| call.stream != id);
        }
    }

    /// A process ended.
    pub(super) fn forget(&mut self, process: ProcessId) {
        self.due.remove(&process);
        self.ahead.remove(&process);
    }

    fn leave(&mut self, process: ProcessId) {
        if let Some(ahead) = self.ahead.get_mut(&process) {
            *ahead = ahead.saturating_sub(1);
        }
    }
}

impl Timeline {
    /// The next host function for this process to call, each once.
    pub(crate) fn take_host_call(&mut self, process: ProcessId) -> Option<HostCall> {
        self.host.due.get_mut(&process)?.pop_front()
    }

    /// Whether a host function of this process is in a stream that has not reached it.
    pub(crate) fn expects_host_call(&self, process: ProcessId) -> bool {
        self.host.ahead.get(&process).is_some_and(|ahead| *ahead > 0)
    }

    /// The host function returned; its stream goes on.
    ///
    /// # Errors
    /// `InvalidHandle` when the process has no such call under way.
    pub(crate) fn finish_host_call(&mut self, process: ProcessId, id: HostCallId) -> Result<(), Refusal> {
        let stream = *self.host.unreturned.get(&id).ok_or(Refusal::InvalidHandle)?;
        if self.streams.get(&stream).is_none_or(|stream| stream.process != process) {
            return Err(Refusal::InvalidHandle);
        }
        self.host.unreturned.remove(&id);
        self.complete(stream);
        self.settle();
        Ok(())
    }
}
