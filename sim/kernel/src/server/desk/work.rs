//! Streams, events and work.

use sim_model::{Admission, Operation, ProcessId, Refusal, StreamId, Wait};

use super::super::answer::{Answer, Condition, now, refuse};
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{
    CreateEvent, CreateStream, DestroyEvent, DestroyStream, Elapsed, Enqueue, FinishHostCall, OpenEvent,
    QueryEvent, QueryStream, Subject, WorkRequest,
};

impl Desk {
    pub(super) fn work(&mut self, process: ProcessId, request: WorkRequest) -> Result<Answer, Malformed> {
        let machine = &mut self.machine;
        let frame = match request {
            WorkRequest::Enqueue(call) => return self.enqueue(process, call.stream, call.operation),
            WorkRequest::SynchronizeStream(call) => {
                return when(machine.wait_for_stream(process, call.stream));
            }
            WorkRequest::SynchronizeEvent(call) => return when(machine.wait_for_event(process, call.event)),
            WorkRequest::SynchronizeContext(call) => {
                return when(machine.wait_for_context(process, call.context));
            }
            WorkRequest::NextHostCall(_) => return Ok(Answer::When(Condition::HostCall)),
            WorkRequest::CreateStream(call) => {
                now::<CreateStream>(machine.create_stream(process, call.context, call.kind))
            }
            WorkRequest::DestroyStream(call) => {
                now::<DestroyStream>(machine.destroy_stream(process, call.stream))
            }
            WorkRequest::CreateEvent(call) => {
                now::<CreateEvent>(machine.create_event(process, call.context, call.flags))
            }
            WorkRequest::OpenEvent(call) => now::<OpenEvent>(machine.open_event(process, call.event)),
            WorkRequest::DestroyEvent(call) => {
                now::<DestroyEvent>(machine.destroy_event(process, call.event))
            }
            WorkRequest::QueryStream(call) => {
                let wait = machine.wait_for_stream(process, call.stream);
                now::<QueryStream>(self.ready(wait))
            }
            WorkRequest::QueryEvent(call) => {
                let wait = machine.wait_for_event(process, call.event);
                now::<QueryEvent>(self.ready(wait))
            }
            WorkRequest::Elapsed(call) => now::<Elapsed>(machine.elapsed(process, call.start, call.end)),
            WorkRequest::FinishHostCall(call) => {
                now::<FinishHostCall>(machine.finish_host_call(process, call.call))
            }
        };
        frame.map(Answer::Now)
    }

    fn enqueue(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        operation: Operation,
    ) -> Result<Answer, Malformed> {
        if let Operation::Kernel(_) = operation
            && let Err(refusal) = self.interfere(Subject::Launch)
        {
            return refuse(refusal).map(Answer::Now);
        }
        match self.machine.enqueue(process, stream, operation) {
            Ok(Admission::Queued) => now::<Enqueue>(Ok(())).map(Answer::Now),
            Ok(Admission::Full) => Ok(Answer::When(Condition::Room(stream, operation))),
            Err(refusal) => refuse(refusal).map(Answer::Now),
        }
    }

    fn ready(&self, wait: Result<Wait, Refusal>) -> Result<(), Refusal> {
        if self.machine.is_complete(&wait?) { Ok(()) } else { Err(Refusal::NotReady) }
    }
}

/// The answer of a synchronisation: nothing, when the work is done.
fn when(wait: Result<Wait, Refusal>) -> Result<Answer, Malformed> {
    match wait {
        Ok(wait) => Ok(Answer::When(Condition::Complete(wait))),
        Err(refusal) => refuse(refusal).map(Answer::Now),
    }
}
