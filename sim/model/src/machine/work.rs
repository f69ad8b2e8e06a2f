//! Streams, events and work of the machine.

use super::Machine;
use crate::{
    Admission, ContextId, EventFlags, EventId, HostCall, HostCallId, Nanos, Operation, ProcessId, Refusal,
    StreamId, StreamKind, Wait,
};

impl Machine {
    /// Creates a stream.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub fn create_stream(
        &mut self,
        process: ProcessId,
        context: ContextId,
        kind: StreamKind,
    ) -> Result<StreamId, Refusal> {
        self.check_context(process, context)?;
        self.timeline.create_stream(context, kind)
    }

    /// Destroys a stream; what it holds is still done.
    ///
    /// # Errors
    /// `InvalidHandle`, also for a legacy default stream.
    pub fn destroy_stream(&mut self, process: ProcessId, stream: StreamId) -> Result<(), Refusal> {
        self.timeline.destroy_stream(process, stream)
    }

    /// Creates an event.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub fn create_event(
        &mut self,
        process: ProcessId,
        context: ContextId,
        flags: EventFlags,
    ) -> Result<EventId, Refusal> {
        self.check_context(process, context)?;
        self.timeline.create_event(context, flags)
    }

    /// Lets a process use an event of another one.
    ///
    /// # Errors
    /// `InvalidHandle` for one that is gone, or that keeps time.
    pub fn open_event(&mut self, process: ProcessId, event: EventId) -> Result<(), Refusal> {
        self.timeline.open_event(process, event)
    }

    /// Destroys an event; waits for it that were issued stay as they were.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn destroy_event(&mut self, process: ProcessId, event: EventId) -> Result<(), Refusal> {
        self.timeline.destroy_event(process, event)
    }

    /// Appends an operation to a stream, if it has room.
    ///
    /// # Errors
    /// `InvalidHandle` for an unknown stream or event, and for a record of another context's event; `InvalidValue` for
    /// a kernel that asks for none or for more than all of the multiprocessors or the memory bandwidth.
    pub fn enqueue(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        operation: Operation,
    ) -> Result<Admission, Refusal> {
        self.timeline.enqueue(process, stream, operation)
    }

    /// All work that a stream holds now; of a legacy default stream also that of the blocking streams.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn wait_for_stream(&self, process: ProcessId, stream: StreamId) -> Result<Wait, Refusal> {
        self.timeline.wait_for_stream(process, stream)
    }

    /// The last record of an event; nothing when it was never recorded.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn wait_for_event(&self, process: ProcessId, event: EventId) -> Result<Wait, Refusal> {
        self.timeline.wait_for_event(process, event)
    }

    /// All work that a context holds now.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub fn wait_for_context(&self, process: ProcessId, context: ContextId) -> Result<Wait, Refusal> {
        self.check_context(process, context)?;
        self.timeline.wait_for_context(context)
    }

    /// Whether work is complete, or was dropped with its context.
    #[must_use]
    pub fn is_complete(&self, wait: &Wait) -> bool {
        self.timeline.is_complete(wait)
    }

    /// A lower bound of when work will be complete, whatever else is asked of the machine, unless it is dropped.
    #[must_use]
    pub fn earliest(&self, wait: &Wait) -> Nanos {
        self.timeline.earliest(wait)
    }

    /// How many operations a stream can take now; any number when the process has no such stream.
    #[must_use]
    pub fn room(&self, process: ProcessId, stream: StreamId) -> usize {
        self.timeline.room(process, stream)
    }

    /// Whether a launcher that waits for room in a stream may go on: once an eighth of its places are free.
    #[must_use]
    pub fn has_room(&self, stream: StreamId) -> bool {
        self.timeline.has_room(stream)
    }

    /// A lower bound of when that will be.
    #[must_use]
    pub fn earliest_room(&self, stream: StreamId) -> Nanos {
        self.timeline.earliest_room(stream)
    }

    /// Time from one completed record to another; zero when `end` is the earlier one.
    ///
    /// # Errors
    /// `InvalidHandle` when either is unknown, keeps no time or was never recorded; `NotReady`.
    pub fn elapsed(&self, process: ProcessId, start: EventId, end: EventId) -> Result<Nanos, Refusal> {
        self.timeline.elapsed(process, start, end)
    }

    /// The next host function for this process to call; each is given once.
    pub fn take_host_call(&mut self, process: ProcessId) -> Option<HostCall> {
        self.timeline.take_host_call(process)
    }

    /// Whether a host function of this process is in a stream that has not reached it yet.
    #[must_use]
    pub fn expects_host_call(&self, process: ProcessId) -> bool {
        self.timeline.expects_host_call(process)
    }

    /// The host function returned; its stream goes on.
    ///
    /// # Errors
    /// `InvalidHandle` when the process has no such call under way.
    pub fn finish_host_call(&mut self, process: ProcessId, call: HostCallId) -> Result<(), Refusal> {
        self.timeline.finish_host_call(process, call)
    }
}
