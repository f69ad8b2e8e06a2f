//! Time on the machine: streams, engines, and what completes when.

mod advance;
mod compute;
mod copy;
mod engines;
mod enqueue;
mod event;
mod host;
mod stream;
mod wait;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    ContextId, DeviceDescription, DeviceIndex, EventId, Nanos, ProcessId, Refusal, StreamId, StreamKind,
};
pub(crate) use engines::Engines;
pub use enqueue::Admission;
use event::Event;
use host::HostCalls;
use stream::Fence;
use stream::{Role, Stream};
pub use wait::Wait;

/// Everything that takes time. Between two calls no operation that could begin at `now` is held back.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    now: Nanos,
    engines: Vec<Engines>,
    contexts: BTreeMap<ContextId, ContextStreams>,
    streams: BTreeMap<StreamId, Stream>,
    events: BTreeMap<EventId, Event>,
    /// Events that processes have opened which are not theirs.
    opened_events: BTreeSet<(EventId, ProcessId)>,
    host: HostCalls,
    /// Streams whose head may be free to begin.
    restless: VecDeque<StreamId>,
    last_stream: u64,
    last_event: u64,
}

/// Streams and events of one context.
#[derive(Clone, Debug)]
struct ContextStreams {
    process: ProcessId,
    device: DeviceIndex,
    streams: BTreeSet<StreamId>,
    events: BTreeSet<EventId>,
}

impl Timeline {
    pub(crate) fn new(devices: &[DeviceDescription], now: Nanos) -> Self {
        Self {
            now,
            engines: devices.iter().map(|device| Engines::new(&device.card, now)).collect(),
            contexts: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            opened_events: BTreeSet::new(),
            host: HostCalls::default(),
            restless: VecDeque::new(),
            last_stream: 0,
            last_event: 0,
        }
    }

    pub(crate) fn now(&self) -> Nanos {
        self.now
    }

    /// The engines of a device, or nothing when there is no such device.
    pub(crate) fn engines(&self, device: DeviceIndex) -> Option<&Engines> {
        self.engines.get(usize::try_from(device.0).ok()?)
    }

    /// A context begins; says which is its legacy default stream. The device is the caller's to have checked.
    pub(crate) fn open_context(
        &mut self,
        context: ContextId,
        process: ProcessId,
        device: DeviceIndex,
    ) -> StreamId {
        let legacy = self.add_stream(Stream::new(process, context, device, Role::Legacy));
        let (streams, events) = (BTreeSet::from([legacy]), BTreeSet::new());
        self.contexts.insert(context, ContextStreams { process, device, streams, events });
        legacy
    }

    /// A context ends: its work is dropped, done or not.
    pub(crate) fn close_context(&mut self, context: ContextId) {
        let Some(closed) = self.contexts.remove(&context) else { return };
        for event in closed.events {
            self.events.remove(&event);
        }
        for stream in closed.streams {
            self.drop_stream(stream);
        }
        self.settle();
    }

    /// A process ended; its contexts are closed already.
    pub(crate) fn forget(&mut self, process: ProcessId) {
        for engines in &mut self.engines {
            engines.meter.forget(process);
        }
        self.host.forget(process);
        self.opened_events.retain(|(_, of)| *of != process);
    }

    /// Creates a stream.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub(crate) fn create_stream(
        &mut self,
        context: ContextId,
        kind: StreamKind,
    ) -> Result<StreamId, Refusal> {
        let holder = self.contexts.get(&context).ok_or(Refusal::InvalidContext)?;
        let role = match kind {
            StreamKind::Blocking => Role::Blocking,
            StreamKind::NonBlocking => Role::Independent,
        };
        let stream = self.add_stream(Stream::new(holder.process, context, holder.device, role));
        if let Some(holder) = self.contexts.get_mut(&context) {
            holder.streams.insert(stream);
        }
        Ok(stream)
    }

    /// Destroys a stream once what it holds is done.
    ///
    /// # Errors
    /// `InvalidHandle` for an unknown one and for the legacy default stream.
    pub(crate) fn destroy_stream(&mut self, process: ProcessId, id: StreamId) -> Result<(), Refusal> {
        let stream = self.owned_stream(process, id)?;
        if stream.role == Role::Legacy {
            return Err(Refusal::InvalidHandle);
        }
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.retiring = true;
        }
        self.restless.push_back(id);
        self.settle();
        Ok(())
    }

    /// A stream that the process may name.
    fn owned_stream(&self, process: ProcessId, id: StreamId) -> Result<&Stream, Refusal> {
        let stream = self.streams.get(&id).filter(|stream| stream.process == process && !stream.retiring);
        stream.ok_or(Refusal::InvalidHandle)
    }

    fn add_stream(&mut self, stream: Stream) -> StreamId {
        self.last_stream += 1;
        let id = StreamId(self.last_stream);
        self.streams.insert(id, stream);
        id
    }

    /// Drops a stream with what it holds. Whoever waits for it waits no longer.
    fn drop_stream(&mut self, id: StreamId) {
        let Some(stream) = self.streams.remove(&id) else { return };
        let now = self.now;
        self.engines_mut(stream.device).remove(now, id);
        self.host.drop_stream(id, &stream);
        if let Some(holder) = self.contexts.get_mut(&stream.context) {
            holder.streams.remove(&id);
        }
        self.restless.extend(stream.waiters);
    }

    fn engines_mut(&mut self, device: DeviceIndex) -> &mut Engines {
        let at = usize::try_from(device.0).unwrap_or(usize::MAX);
        &mut self.engines[at]
    }
}

#[cfg(test)]
mod tests;
