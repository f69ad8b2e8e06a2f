//! Requests whose answer waits for something.

use sim_model::{Admission, Nanos, ProcessId};

use super::answer::{Condition, now, refuse};
use super::events::ConnectionId;
use super::{Closed, Server};
use crate::protocol::frame::Malformed;
use crate::protocol::{Enqueue, NextHostCall, SynchronizeContext};

/// A connection whose request is not answered yet.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) connection: ConnectionId,
    pub(super) process: ProcessId,
    pub(super) condition: Condition,
}

impl Server {
    /// Answers every request whose condition is met, in the order in which they came.
    pub(super) fn serve_waiters(&mut self) {
        for waiter in std::mem::take(&mut self.waiters) {
            let id = waiter.connection;
            if !self.connections.contains_key(&id) {
                // It went away with an earlier one of this round.
                continue;
            }
            match self.try_answer(&waiter) {
                Ok(None) => self.waiters.push(waiter),
                Ok(Some(frame)) => {
                    if self.deliver(id, &frame).is_err() {
                        self.close(id);
                    }
                }
                Err(Malformed) => self.close(id),
            }
        }
    }

    /// When to wake up for the sake of those who wait: not before one of them can be served, however long that takes.
    ///
    /// Between two events on the machine nothing changes, so never before the next one either.
    pub(super) fn next_wake(&self) -> Option<Nanos> {
        let machine = &self.desk.machine;
        let earliest = self.waiters.iter().filter_map(|waiter| match &waiter.condition {
            Condition::Complete(wait) => Some(machine.earliest(wait)),
            Condition::Room(stream, _) => Some(machine.earliest_room(*stream)),
            Condition::HostCall => machine.expects_host_call(waiter.process).then(|| machine.now()),
        });
        Some(earliest.min()?.max(machine.next_event()?))
    }

    fn try_answer(&mut self, waiter: &Waiter) -> Result<Option<Vec<u8>>, Malformed> {
        let machine = &mut self.desk.machine;
        match &waiter.condition {
            // All synchronisations are answered with nothing.
            Condition::Complete(wait) => {
                if !machine.is_complete(wait) {
                    return Ok(None);
                }
                machine.synchronised(waiter.process);
                now::<SynchronizeContext>(Ok(())).map(Some)
            }
            Condition::Room(stream, operation) => {
                match machine.enqueue(waiter.process, *stream, *operation) {
                    Ok(Admission::Full) => Ok(None),
                    Ok(Admission::Queued) => now::<Enqueue>(Ok(())).map(Some),
                    Err(refusal) => refuse(refusal).map(Some),
                }
            }
            Condition::HostCall => {
                machine.take_host_call(waiter.process).map(|call| now::<NextHostCall>(Ok(call))).transpose()
            }
        }
    }

    fn deliver(&mut self, id: ConnectionId, frame: &[u8]) -> Result<(), Closed> {
        self.connections.get_mut(&id).ok_or(Closed)?.send(frame)?;
        self.watch(id)
    }
}
