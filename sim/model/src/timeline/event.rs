//! Events: the time at which a point in a stream was reached.

use super::{Fence, Timeline};
use crate::{ContextId, EventFlags, EventId, Nanos, ProcessId, Refusal};

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) process: ProcessId,
    pub(super) context: ContextId,
    pub(super) timing: bool,
    /// The last record that was issued.
    pub(super) recorded: Option<Fence>,
    /// When that record completed.
    pub(super) time: Option<Nanos>,
}

impl Timeline {
    /// Creates an event.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub(crate) fn create_event(&mut self, context: ContextId, flags: EventFlags) -> Result<EventId, Refusal> {
        let holder = self.contexts.get_mut(&context).ok_or(Refusal::InvalidContext)?;
        self.last_event += 1;
        let id = EventId(self.last_event);
        holder.events.insert(id);
        let event =
            Event { process: holder.process, context, timing: flags.timing, recorded: None, time: None };
        self.events.insert(id, event);
        Ok(id)
    }

    /// Lets a process use an event of another one, which keeps no time, until it destroys it or its owner does.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn open_event(&mut self, process: ProcessId, id: EventId) -> Result<(), Refusal> {
        self.events.get(&id).filter(|event| !event.timing).ok_or(Refusal::InvalidHandle)?;
        self.opened_events.insert((id, process));
        Ok(())
    }

    /// Destroys an event; what waits for it still does. One of another process is only closed.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn destroy_event(&mut self, process: ProcessId, id: EventId) -> Result<(), Refusal> {
        let event = self.owned_event(process, id)?;
        let context = event.context;
        if event.process != process {
            self.opened_events.remove(&(id, process));
            return Ok(());
        }
        self.events.remove(&id);
        if let Some(holder) = self.contexts.get_mut(&context) {
            holder.events.remove(&id);
        }
        Ok(())
    }

    /// Time from one completed record to another, as far as a device's clock tells; zero when `end` is the earlier one.
    ///
    /// # Errors
    /// `InvalidHandle` when either is unknown, keeps no time or was never recorded; `NotReady`.
    pub(crate) fn elapsed(&self, process: ProcessId, start: EventId, end: EventId) -> Result<Nanos, Refusal> {
        let (start, end) = (self.owned_event(process, start)?, self.owned_event(process, end)?);
        if [start, end].iter().any(|event| !event.timing || event.recorded.is_none()) {
            return Err(Refusal::InvalidHandle);
        }
        match (start.time, end.time) {
            (Some(start), Some(end)) => Ok(told(end).saturating_sub(told(start))),
            _ => Err(Refusal::NotReady),
        }
    }

    /// An event that the process may name.
    pub(super) fn owned_event(&self, process: ProcessId, id: EventId) -> Result<&Event, Refusal> {
        let may_use =
            |event: &&Event| event.process == process || self.opened_events.contains(&(id, process));
        self.events.get(&id).filter(may_use).ok_or(Refusal::InvalidHandle)
    }

    /// A record of an event was issued at this point of a stream: earlier ones do not count any more.
    pub(super) fn record(&mut self, id: EventId, fence: Fence) {
        if let Some(event) = self.events.get_mut(&id) {
            event.recorded = Some(fence);
            event.time = None;
        }
    }

    /// The record of an event at this point of a stream completed now. An older record than the last is not its time.
    pub(super) fn stamp(&mut self, id: EventId, fence: Fence) {
        if let Some(event) = self.events.get_mut(&id)
            && event.recorded == Some(fence)
        {
            event.time = Some(self.now);
        }
    }
}

/// An instant as a device notes it: in steps of half a microsecond.
fn told(instant: Nanos) -> Nanos {
    const STEP: u64 = 500;
    Nanos(instant.0 - instant.0 % STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_in_steps_of_half_a_microsecond() {
        assert_eq!([1_499, 1_500, 1_999].map(|instant| told(Nanos(instant)).0), [1_000, 1_500, 1_500]);
    }
}
