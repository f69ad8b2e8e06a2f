//! Measuring what launches have cost.

use policy::compute::Nanos;
use policy::compute::busy::Busy;
use shared_region::BriefLock;

use super::costs::Costs;
use super::epoch::{Epoch, Inbox};
use super::modes::Modes;
use super::settle::{Desk, Settled};
use super::stream::Stream;
use super::timeline::Timeline;
use super::{Events, StreamId};
use crate::{ContextId, Table};

/// How soon to look again for what somebody waits for.
pub(super) const SOON: Nanos = Nanos::from_micros(100);
/// How soon and how late to look again for other things.
const LOOK_MIN: Nanos = Nanos::from_millis(1);
const LOOK_MAX: Nanos = Nanos::from_millis(4);

/// An epoch that has been open for longer is one with a pause.
const OPEN_MAX: Nanos = Nanos::from_millis(20);

/// Streams that are remembered while nothing is under way in them.
const IDLE_STREAMS: usize = 256;

/// What one look found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// What is to be charged, or given back.
    pub(super) correction: i64,
    /// Launches that were seen to have ended.
    pub(super) launches: u32,
    /// GPU time that was not seen before.
    pub(super) busy: Nanos,
    /// When to look again.
    pub(super) next: Option<Nanos>,
}

/// What is under way on a device, and what was measured of it.
pub(super) struct Meter<E> {
    streams: Table<StreamId, Stream<E>>,
    timelines: Table<ContextId, Timeline<E>>,
    busy: Busy,
    /// What was charged because unfinished work has run for longer than it was expected to.
    aged: Nanos,
    /// GPU time of what has ended.
    ended: Nanos,
    /// GPU time that was reported.
    reported: Nanos,
    /// Last time's inbox, empty.
    spare: Inbox<E>,
}

impl<E> Default for Meter<E> {
    fn default() -> Self {
        Self {
            streams: Table::default(),
            timelines: Table::default(),
            busy: Busy::new(),
            aged: Nanos::ZERO,
            ended: Nanos::ZERO,
            reported: Nanos::ZERO,
            spare: Inbox::default(),
        }
    }
}

impl<E: Copy + PartialEq> Meter<E> {
    /// Takes what those who launch have left.
    pub(super) fn collect(&mut self, inbox: &BriefLock<Inbox<E>>) {
        core::mem::swap(&mut *inbox.lock(), &mut self.spare);
        for epoch in self.spare.epochs.drain(..) {
            self.streams.entry(epoch.stream).or_default().queue.push_back(epoch);
        }
        if self.streams.len() > IDLE_STREAMS {
            self.streams.retain(|_, stream| !stream.queue.is_empty());
        }
    }

    /// Looks how far the device is at `now`.
    pub(super) fn look(
        &mut self,
        now: Nanos,
        events: &impl Events<E>,
        costs: &Costs,
        modes: &Modes,
    ) -> Found {
        self.spare.unused.drain(..).for_each(|event| events.give_back(event));
        let (mut correction, mut launches) = (0_i64, 0_u32);
        let mut raised = Vec::new();
        for (&id, stream) in &mut self.streams {
            while let Some(epoch) = stream.queue.pop_front_if(|epoch| events.is_done(epoch.end)) {
                let Self { timelines, busy, .. } = self;
                let mut desk = Desk { timelines, busy, costs, modes, events, now };
                let Settled { used, charged } = desk.settle(id, stream, &epoch, &mut raised);
                self.ended = self.ended.saturating_add(used);
                correction = correction.saturating_add(used.minus(charged));
                launches = launches.saturating_add(epoch.tally.launches);
            }
        }
        for (key, each) in raised {
            correction = correction.saturating_add_unsigned(self.raise(key, each).0);
        }
        self.busy.forget_before(self.earliest(now));
        let (running, late) = self.running(now, events);
        correction = correction.saturating_add(late.minus(self.aged));
        self.aged = late;
        let seen = self.ended.saturating_add(running);
        let busy = seen.saturating_sub(self.reported);
        self.reported = self.reported.max(seen);
        Found { correction, launches, busy, next: self.next(now) }
    }

    /// What is under way was admitted for less than one launch of `key` costs, as is known now. By how much, in all.
    fn raise(&mut self, key: u64, each: Nanos) -> Nanos {
        let queued = self.streams.values_mut().flat_map(|stream| &mut stream.queue);
        queued.map(|epoch| epoch.tally.raise(key, each)).fold(Nanos::ZERO, Nanos::saturating_add)
    }

    /// No epoch that is going to be measured began before this instant, on any timeline.
    fn earliest(&self, now: Nanos) -> Nanos {
        let queued = self.streams.values().filter_map(|stream| stream.queue.front());
        let since = queued.map(|first| first.since).fold(now.saturating_sub(OPEN_MAX), Nanos::min);
        let timelines = self.timelines.values().map(|timeline| timeline.until(since));
        timelines.min().unwrap_or(Nanos::ZERO)
    }

    /// For how long the device has been busy with what has not ended, beside what has, and how much of that nobody has expected.
    fn running(&mut self, now: Nanos, events: &impl Events<E>) -> (Nanos, Nanos) {
        let (mut since, mut until, mut charged) = (None, Nanos::ZERO, Nanos::ZERO);
        for (id, stream) in &mut self.streams {
            let Some(first) = stream.queue.front() else { continue };
            if stream.started.is_none() && events.is_done(first.start) {
                let timeline = self
                    .timelines
                    .entry(id.context)
                    .or_insert_with(|| Timeline::new(first.start, first.since, now));
                stream.started =
                    timeline.instant(first.start, events).inspect(|&start| timeline.saw(start, now));
            }
            let Some(started) = stream.started else { continue };
            // What the device may have been idle for is not held against it before that is known.
            let started = started.saturating_add(first.span);
            since = Some(since.unwrap_or(started).min(started));
            until =
                until.max(self.timelines.get(&id.context).map_or(started, |timeline| timeline.until(now)));
            charged = charged.saturating_add(first.tally.charged);
        }
        let Some(since) = since else { return (Nanos::ZERO, Nanos::ZERO) };
        let running = self.busy.clone().cover(since, until);
        (running, running.saturating_sub(charged))
    }

    /// When the next piece of work is expected to end; soon, if that was to be before now.
    fn next(&self, now: Nanos) -> Option<Nanos> {
        let soonest = |stream: &Stream<E>| {
            let expected = stream.expected_end()?;
            let least = if stream.queue.front()?.is_awaited { SOON } else { LOOK_MIN };
            let late = now.saturating_sub(expected);
            let wait = expected.saturating_sub(now).max(Nanos(late.0 / 2)).clamp(least, LOOK_MAX);
            Some(now.saturating_add(wait))
        };
        self.streams.values().filter_map(soonest).min()
    }

    /// `context` and its events are going.
    pub(super) fn forget(&mut self, context: ContextId, costs: &Costs) {
        let going = |id: &StreamId| id.context == context;
        for (_, stream) in self.streams.iter().filter(|(id, _)| going(id)) {
            let lost = stream.queue.iter().flat_map(|epoch: &Epoch<E>| epoch.tally.kinds());
            lost.for_each(|kind| costs.give_up(kind.key));
            if stream.started.is_some() {
                // What was charged for it is not given back.
                self.aged = Nanos::ZERO;
            }
        }
        self.streams.retain(|id, _| !going(id));
        self.timelines.remove(&context);
    }
}
