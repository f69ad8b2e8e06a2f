//! Putting operations into streams, and what each has to wait for.

use super::stream::{Entry, Role, Step};
use super::{Fence, Timeline};
use crate::{ContextId, Operation, Permille, ProcessId, Refusal, StreamId};

/// What became of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is in the stream.
    Queued,
    /// The stream holds all it can: the launcher waits until [`crate::Machine::has_room`].
    Full,
}

impl Timeline {
    /// Appends an operation to a stream, if it has room.
    ///
    /// # Errors
    /// `InvalidHandle` for an unknown stream or event, and for a record of another context's event; `InvalidValue` for
    /// a kernel that asks for none or for more than all of the multiprocessors or the memory bandwidth.
    pub(crate) fn enqueue(
        &mut self,
        process: ProcessId,
        id: StreamId,
        operation: Operation,
    ) -> Result<Admission, Refusal> {
        let stream = self.owned_stream(process, id)?;
        let (context, device, role) = (stream.context, stream.device, stream.role);
        let (held, fence) = (stream.queue.len(), Fence { stream: id, sequence: stream.issued() + 1 });
        self.check(process, context, operation)?;
        let engines = self.engines_mut(device);
        if held >= engines.queue_depth {
            return Ok(Admission::Full);
        }
        let step = match operation {
            Operation::Kernel(kernel) => Step::Compute {
                duration: kernel.duration,
                sm: kernel.sm,
                memory: kernel.memory,
                counted: true,
            },
            Operation::Copy(direction, bytes) => engines.copy(direction, bytes),
            Operation::Memset(bytes) => engines.memset(bytes),
            Operation::Record(event) => Step::Record(event),
            Operation::Wait(_) => Step::Wait,
            Operation::HostFunction => Step::Host(self.host.issue(process)),
        };
        let mut after = self.barrier(context, role);
        match operation {
            Operation::Record(event) => self.record(event, fence),
            Operation::Wait(event) => after.extend(self.owned_event(process, event)?.recorded),
            _ => {}
        }
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.queue.push_back(Entry { step, after });
        }
        self.restless.push_back(id);
        self.settle();
        Ok(Admission::Queued)
    }

    fn check(&self, process: ProcessId, context: ContextId, operation: Operation) -> Result<(), Refusal> {
        match operation {
            Operation::Kernel(kernel) => {
                let possible =
                    (1..=Permille::WHOLE.0).contains(&kernel.sm.0) && kernel.memory <= Permille::WHOLE;
                if possible { Ok(()) } else { Err(Refusal::InvalidValue) }
            }
            Operation::Record(event) => {
                let event = self.owned_event(process, event)?;
                let same = event.context == context || event.process != process;
                if same { Ok(()) } else { Err(Refusal::InvalidHandle) }
            }
            Operation::Wait(event) => self.owned_event(process, event).map(|_| ()),
            Operation::Copy(..) | Operation::Memset(_) | Operation::HostFunction => Ok(()),
        }
    }

    /// What an operation of a stream in this role waits for now: the implicit barriers of the legacy default stream.
    pub(super) fn barrier(&self, context: ContextId, role: Role) -> Vec<Fence> {
        let Some(holder) = self.contexts.get(&context) else { return Vec::new() };
        let streams = holder.streams.iter().filter_map(|id| Some((*id, self.streams.get(id)?)));
        let holds_back = |other: Role| match role {
            Role::Legacy => other == Role::Blocking,
            Role::Blocking => other == Role::Legacy,
            Role::Independent => false,
        };
        let pending = streams.filter(|(_, stream)| holds_back(stream.role) && !stream.queue.is_empty());
        pending.map(|(id, stream)| Fence { stream: id, sequence: stream.issued() }).collect()
    }
}
