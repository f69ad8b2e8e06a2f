//! A process whose threads launch, and its meter.

use policy::compute::trim::Trim;
use policy::compute::{Nanos, Share};
use shared_region::compute::FinishWord;
use std::cell::Cell;

use super::device::{At, Device, Event};
use crate::ContextId;
use crate::launches::{Admission, Lease, StreamId, Terms, Throttle, Work};

pub(super) const STREAM: StreamId = StreamId { context: ContextId(1), stream: 7 };
pub(super) const OTHER: StreamId = StreamId { context: ContextId(1), stream: 8 };
pub(super) const MICRO: u64 = 1_000;
pub(super) const MILLI: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;

/// Time that a launch takes on the host.
pub(super) const LAUNCH: u64 = 3 * MICRO;

pub(super) type Thread = Lease<Event>;

pub(super) struct Process {
    pub(super) device: Device,
    pub(super) throttle: Throttle<Event>,
    pub(super) finish: FinishWord,
    pub(super) terms: Cell<Terms>,
    /// When the meter looks.
    pub(super) next: Cell<Option<u64>>,
    /// How long before it looks it asks for the time.
    pub(super) hesitates: Cell<u64>,
}

pub(super) fn work(key: u64, stream: StreamId) -> Work {
    Work { key, stream, least_cost: Nanos::ZERO }
}

pub(super) fn terms(percent: u8) -> Terms {
    Terms { share: Share::from_percent(percent).unwrap(), trim: Trim::ONE, is_shared_out: false }
}

impl Process {
    pub(super) fn new(percent: u8) -> Self {
        let device = Device::default();
        device.now.set(1000 * SECOND);
        Self {
            device,
            throttle: Throttle::default(),
            finish: FinishWord::default(),
            terms: Cell::new(terms(percent)),
            next: Cell::new(None),
            hesitates: Cell::new(0),
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.device.now.get()
    }

    pub(super) fn at(&self, stream: StreamId) -> At<'_> {
        At(&self.device, stream)
    }

    /// What the slice owes now.
    pub(super) fn debt(&self) -> u64 {
        self.finish.load().debt(Nanos(self.now())).0
    }

    /// Time passes; the meter looks when it wants to.
    pub(super) fn sleep_until(&self, until: u64) {
        if self.throttle.needs_poll() {
            self.poll();
        }
        while let Some(next) = self.next.get().filter(|&next| next <= until) {
            self.device.now.set(next.max(self.now()));
            self.poll();
        }
        self.device.now.set(until.max(self.now()));
    }

    pub(super) fn sleep(&self, time: u64) {
        self.sleep_until(self.now() + time);
    }

    pub(super) fn poll(&self) {
        self.poll_with(&self.finish);
    }

    /// The same for a process of a slice that has several.
    pub(super) fn poll_with(&self, finish: &FinishWord) {
        let now = Nanos(self.now() - self.hesitates.get());
        let next = self.throttle.poll(now, &self.device, finish, self.terms.get());
        assert!(next.is_none_or(|next| next > now));
        // Who hesitates comes late, and does not hurry to make up for it.
        self.next.set(next.map(|next| next.0 + self.hesitates.get()));
    }

    /// Asks to launch.
    pub(super) fn admit<'t>(
        &'t self,
        thread: &'t mut Thread,
        key: u64,
        stream: StreamId,
    ) -> Admission<'t, Event> {
        let terms = || self.terms.get();
        self.throttle.admit(thread, work(key, stream), terms, &self.finish, &mut self.at(stream))
    }

    /// Launches as soon as that may be; without a duration, in vain.
    pub(super) fn try_launch(&self, thread: &mut Thread, key: u64, stream: StreamId, duration: Option<u64>) {
        loop {
            let until = match self.admit(thread, key, stream) {
                Admission::Measuring(until) => until.0.min(self.now() + 50 * MICRO),
                Admission::Granted(mut turn) => {
                    self.sleep_until(turn.start().map_or(0, |start| start.0));
                    turn.before(&mut self.at(stream));
                    duration.inspect(|&duration| self.device.launch(stream, duration));
                    turn.after(duration.is_some(), &mut self.at(stream));
                    return self.sleep(LAUNCH);
                }
            };
            self.sleep_until(until);
        }
    }

    /// Launches as soon as that may be.
    pub(super) fn launch(&self, thread: &mut Thread, key: u64, stream: StreamId, duration: u64) {
        self.try_launch(thread, key, stream, Some(duration));
    }

    /// Waits for a stream, as `cuStreamSynchronize` does.
    pub(super) fn synchronize(&self, thread: &mut Thread, stream: StreamId) {
        self.throttle.end_epoch(thread, stream, &mut self.at(stream));
        let (is_watched, begin) = (self.throttle.begins_to_wait(thread), self.now());
        self.sleep_until(self.device.tail(stream));
        if is_watched {
            self.throttle.has_waited(thread, Nanos(self.now()), Nanos(self.now() - begin));
        }
    }

    /// Waits until the meter has nothing to do.
    pub(super) fn settle(&self) {
        self.sleep(0);
        while let Some(next) = self.next.get() {
            self.sleep_until(next);
        }
    }
}
