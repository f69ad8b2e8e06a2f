//! A device that knows at once how long everything takes, and a clock that tests move.

use policy::compute::Nanos;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use crate::ContextId;
use crate::launches::{Events, Recorder, StreamId};

/// An event: when it will be done, of which context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Event(usize);

#[derive(Default)]
pub(super) struct Device {
    pub(super) now: Cell<u64>,
    /// How often somebody asked for the time.
    pub(super) clock_reads: Cell<u32>,
    events: RefCell<Vec<(u64, ContextId)>>,
    pub(super) given_back: RefCell<HashSet<Event>>,
    /// When streams, and the device, have done all they were given.
    tails: RefCell<HashMap<StreamId, u64>>,
    free: Cell<u64>,
    /// Whether streams run at the same time.
    pub(super) is_parallel: Cell<bool>,
    /// Whether events cannot be recorded, or tell nothing.
    pub(super) is_mute: Cell<bool>,
    pub(super) tells_nothing: Cell<bool>,
    /// Contexts whose events may not be touched.
    pub(super) gone: RefCell<Vec<ContextId>>,
    /// Pieces of work: start and end.
    pub(super) work: RefCell<Vec<(u64, u64)>>,
}

impl Device {
    pub(super) fn launch(&self, stream: StreamId, duration: u64) {
        let mut tails = self.tails.borrow_mut();
        let tail = tails.entry(stream).or_default();
        let free = if self.is_parallel.get() { 0 } else { self.free.get() };
        let start = self.now.get().max(*tail).max(free);
        *tail = start + duration;
        self.free.set(self.free.get().max(*tail));
        self.work.borrow_mut().push((start, *tail));
    }

    /// When all work of a stream is done.
    pub(super) fn tail(&self, stream: StreamId) -> u64 {
        self.tails.borrow().get(&stream).copied().unwrap_or_default().max(self.now.get())
    }

    /// For how much of the time from `from` to `to` it worked; only if it is not parallel.
    pub(super) fn busy(&self, from: u64, to: u64) -> u64 {
        let within = |&(start, end): &(u64, u64)| end.min(to).saturating_sub(start.max(from));
        self.work.borrow().iter().map(within).sum()
    }

    /// Events that were recorded and not given back.
    pub(super) fn kept(&self) -> usize {
        self.events.borrow().len() - self.given_back.borrow().len()
    }

    pub(super) fn recorded(&self) -> usize {
        self.events.borrow().len()
    }

    fn time(&self, Event(event): Event) -> u64 {
        let (time, context) = self.events.borrow()[event];
        assert!(!self.gone.borrow().contains(&context), "the event of a context that is gone was asked");
        time
    }
}

impl Events<Event> for Device {
    fn now(&self) -> Nanos {
        Nanos(self.now.get())
    }

    fn is_done(&self, event: Event) -> bool {
        self.time(event) <= self.now.get()
    }

    fn between(&self, from: Event, to: Event) -> Option<Nanos> {
        assert!(self.is_done(from) && self.is_done(to));
        let time = self.time(to).checked_sub(self.time(from)).map(Nanos);
        time.filter(|_| !self.tells_nothing.get())
    }

    fn give_back(&self, event: Event) {
        assert!(self.given_back.borrow_mut().insert(event), "given back twice");
    }
}

/// The device, seen from a launch in a stream.
pub(super) struct At<'a>(pub(super) &'a Device, pub(super) StreamId);

impl Recorder<Event> for At<'_> {
    fn now(&self) -> Nanos {
        self.0.clock_reads.set(self.0.clock_reads.get() + 1);
        Nanos(self.0.now.get())
    }

    fn record(&mut self) -> Option<Event> {
        if self.0.is_mute.get() {
            return None;
        }
        let time = self.0.tail(self.1);
        self.0.events.borrow_mut().push((time, self.1.context));
        Some(Event(self.0.recorded() - 1))
    }
}
