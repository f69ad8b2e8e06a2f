//! Measuring what launches have cost.

use policy::compute::Nanos;
use policy::compute::busy::Busy;
use shared_region::BriefLock;

use super::costs::Costs;
use super::epoch::{self, Inbox};
use super::linger::LINGER;
use super::modes::Modes;
use super::overlap;
use super::pool::{Pool, Seen};
use super::rhythm::{Look, Rhythm};
use super::settle::{Desk, Done};
use super::stream::Stream;
use super::timeline::Timeline;
use super::{Events, StreamId};
use crate::spread::spread;
use crate::{ContextId, Table};

/// How soon to look again for what somebody waits for.
pub(super) const SOON: Nanos = Nanos::from_micros(100);
/// How soon and how late to look again for other things.
const LOOK_MIN: Nanos = Nanos::from_millis(1);
const LOOK_MAX: Nanos = Nanos::from_millis(4);

/// When to look again at what takes long: after [`LOOK_MAX`], or half of that at least.
///
/// Of processes that work at the same time, whoever looks first is charged for what has passed since the last one did. So their
/// looks must not come in the same order for ever: one would be charged for all, and held to have kernels that cost as much.
fn some_time(now: Nanos, stream: StreamId) -> Nanos {
    let half = LOOK_MAX.0 / 2;
    Nanos(half + spread(now.0 ^ stream.key()) % half)
}

/// An epoch that has been open for longer is one with a pause.
const OPEN_MAX: Nanos = Nanos::from_millis(20);

/// Streams that are remembered while nothing is under way in them.
const IDLE_STREAMS: usize = 256;

/// What one look found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// What is to be charged, or given back.
    pub(super) correction: i64,
    /// What is to be charged as of when it began, because it is over by now.
    pub(super) longer: Nanos,
    /// GPU time that was not seen before.
    pub(super) busy: Nanos,
    /// Epochs and unused events that were dealt with.
    pub(super) taken: usize,
    /// Whether any epochs were among them.
    pub(super) has_ended: bool,
    /// When to look again.
    pub(super) next: Option<Nanos>,
    /// For how long nobody need look, where nothing is under way and more will soon be.
    pub(super) pause: Nanos,
}

/// What is under way on a device, and what was measured of it.
pub(super) struct Meter<E> {
    streams: Table<StreamId, Stream<E>>,
    timelines: Table<ContextId, Timeline<E>>,
    busy: Busy,
    /// For how long the device had been busy with what had not ended.
    running: Pool,
    /// What was reported of work that then turned out to be shorter. It is taken off what is seen next: what was metered in all is
    /// what was charged in all, or the trim would remove the difference.
    ahead: Pool,
    /// What was charged because that is longer than it was expected to be.
    late: Nanos,
    /// What was waited for, and took longer than it was expected to, during a look.
    longer: Nanos,
    /// Last time's inbox, empty but for events.
    spare: Inbox<E>,
    /// What has ended, during a look.
    done: Vec<Done<E>>,
    rhythm: Rhythm,
}

impl<E> Default for Meter<E> {
    fn default() -> Self {
        Self {
            streams: Table::default(),
            timelines: Table::default(),
            busy: Busy::new(),
            running: Pool::default(),
            ahead: Pool::default(),
            late: Nanos::ZERO,
            longer: Nanos::ZERO,
            spare: Inbox::default(),
            done: Vec::new(),
            rhythm: Rhythm::default(),
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

    /// Looks how far the device is at `now`. `report` is told for how long it was seen to be busy, and since when, and says how
    /// much of that is to be charged.
    pub(super) fn look(
        &mut self,
        now: Nanos,
        events: &impl Events<E>,
        (costs, modes): (&Costs, &Modes),
        report: impl FnOnce(Nanos, Nanos) -> Nanos,
    ) -> Found {
        let is_sampled = self.spare.unmeasured > Nanos::ZERO;
        let unused = self.spare.unused.drain(..);
        let taken = unused.map(|event| events.give_back(event)).count();
        let ended = self.take_done(now, events, (costs, modes)).and(self.take_unmeasured());
        self.busy.forget_before(self.earliest(now));
        let running = self.under_way(now, events);
        let seen = ended.and(running);
        let before = self.running.and(self.ahead);
        let known = before.take(seen.measured);
        self.ahead = before.without(known);
        let fresh = seen.measured.saturating_sub(known.measured);
        let busy = if fresh > Nanos::ZERO { report(seen.since, fresh) } else { Nanos::ZERO };
        let pool = Pool { measured: seen.measured, charged: known.charged.saturating_add(busy) };
        self.running = Pool { measured: running.measured, charged: pool.part(running.measured) };
        let (taken, has_ended) = (taken + self.done.len(), !self.done.is_empty());
        let is_waited_for = self.is_waited_for();
        let settled = self.settle(pool, costs);
        self.note_running(costs);
        let late = self.running.charged.saturating_sub(running.expected);
        let correction = settled.saturating_add(late.minus(self.late));
        let longer = pool.part(core::mem::take(&mut self.longer));
        self.late = late;
        self.rhythm.looked(now, &Look { busy, expected: ended.expected, correction, is_sampled });
        if is_waited_for || longer > Nanos::ZERO {
            self.rhythm.disturb();
        }
        let pause = self.rhythm.interval().unwrap_or(LINGER);
        Found { correction, longer, busy, taken, has_ended, next: self.next(now), pause }
    }

    /// How often to look, beside what is seen.
    pub(super) fn rhythm(&mut self) -> &mut Rhythm {
        &mut self.rhythm
    }

    /// Whether something has ended, or is under way, that is to tell what launches cost of which little is known.
    fn is_waited_for(&self) -> bool {
        let first = self.streams.values().filter_map(|stream| stream.queue.front());
        first.chain(self.done.iter().map(|done| &done.epoch)).any(|epoch| epoch.is_awaited)
    }

    /// Measures what has ended.
    fn take_done(&mut self, now: Nanos, events: &impl Events<E>, (costs, modes): (&Costs, &Modes)) -> Seen {
        let Self { streams, timelines, busy, done, .. } = self;
        let mut desk = Desk { timelines, busy, costs, modes, events, now };
        let mut seen = Seen::NOTHING;
        for stream in streams.values_mut() {
            while let Some(epoch) = stream.queue.pop_front_if(|epoch| events.is_done(epoch.end)) {
                let measured = desk.measure(stream, &epoch);
                if let Some(measured) = measured {
                    let expected = epoch.tally.charged;
                    seen = seen.and(Seen { since: measured.start, measured: measured.used, expected });
                }
                done.push(Done { epoch, measured });
            }
        }
        overlap::share(done);
        seen
    }

    /// Counts what was not measured: as what it was expected to cost, and as long as somebody had to wait for it.
    fn take_unmeasured(&mut self) -> Seen {
        let expected = core::mem::take(&mut self.spare.unmeasured);
        let mut all = Seen { since: Nanos(u64::MAX), measured: expected, expected };
        for epoch::Seen { from, to, charged } in self.spare.seen.drain(..) {
            let longer = self.busy.cover(from, to).saturating_sub(charged);
            self.longer = self.longer.saturating_add(longer);
            all = all.and(Seen { since: from, measured: longer, expected: Nanos::ZERO });
        }
        all
    }

    /// Compares what has ended with what it was expected to cost. Returns what is to be charged.
    fn settle(&mut self, pool: Pool, costs: &Costs) -> i64 {
        let (mut correction, mut raised) = (0_i64, Vec::new());
        for Done { epoch, measured } in self.done.drain(..) {
            let Some(measured) = measured else { continue };
            let used = pool.part(measured.used);
            epoch.teach(used, costs, &mut raised);
            correction = correction.saturating_add(used.minus(epoch.tally.charged));
        }
        // What is under way was admitted for less than is known now.
        for (key, each) in raised {
            for epoch in self.streams.values_mut().flat_map(|stream| &mut stream.queue) {
                correction = correction.saturating_add_unsigned(epoch.tally.raise(key, each).0);
            }
        }
        correction
    }

    /// No epoch that is going to be measured began before this instant, on any timeline.
    fn earliest(&self, now: Nanos) -> Nanos {
        let queued = self.streams.values().filter_map(|stream| stream.queue.front());
        let since = queued.map(|first| first.since).fold(now.saturating_sub(OPEN_MAX), Nanos::min);
        let timelines = self.timelines.values().map(|timeline| timeline.until(since));
        timelines.min().unwrap_or(Nanos::ZERO)
    }

    /// What has begun and not ended, as long as it has been.
    fn under_way(&mut self, now: Nanos, events: &impl Events<E>) -> Seen {
        let (mut seen, mut until) = (Seen::NOTHING, Nanos::ZERO);
        for (id, stream) in &mut self.streams {
            let Some(first) = stream.queue.front() else { continue };
            if stream.started.is_none() && events.is_done(first.start) {
                let timeline = self
                    .timelines
                    .entry(id.context)
                    .or_insert_with(|| Timeline::new(first.start, first.since, now));
                stream.started =
                    timeline.instant(first.start, events).inspect(|&start| timeline.saw(start, now, events));
            }
            let Some(started) = stream.started else { continue };
            // What the device may have been idle for is not held against it before that is known.
            let since = started.saturating_add(first.span);
            seen = seen.and(Seen { since, measured: Nanos::ZERO, expected: first.tally.charged });
            until =
                until.max(self.timelines.get(&id.context).map_or(started, |timeline| timeline.until(now)));
        }
        Seen { measured: self.busy.clone().cover(seen.since, until), ..seen }
    }

    /// Tells those who wait for a measurement what is known so far: no more of what runs now can be told apart.
    fn note_running(&self, costs: &Costs) {
        for stream in self.streams.values().filter(|stream| stream.started.is_some()) {
            if let Some(first) = stream.queue.front().filter(|first| first.is_awaited) {
                first.tally.kinds().iter().for_each(|kind| costs.note(kind.key, self.running.charged));
            }
        }
    }

    /// When the next piece of work is expected to end; soon, if that was to be before now. Where all goes as expected, in a while.
    fn next(&self, now: Nanos) -> Option<Nanos> {
        let is_idle = self.streams.values().all(|stream| stream.queue.is_empty());
        if let Some(interval) = self.rhythm.interval().filter(|_| !is_idle) {
            return Some(now.saturating_add(interval));
        }
        let soonest = |(id, stream): (&StreamId, &Stream<E>)| {
            let expected = stream.expected_end()?;
            let least = if stream.queue.front()?.is_awaited { SOON } else { LOOK_MIN };
            let late = now.saturating_sub(expected);
            let wait = expected.saturating_sub(now).max(Nanos(late.0 / 2)).clamp(least, LOOK_MAX);
            Some(if wait < LOOK_MAX { wait } else { some_time(now, *id) })
        };
        self.streams.iter().filter_map(soonest).min().map(|wait| now.saturating_add(wait))
    }

    /// `context` and its events are going. What was charged for work that is late stays charged. Returns how many epochs were in it.
    pub(super) fn forget(&mut self, context: ContextId, costs: &Costs) -> usize {
        let mut lost = 0;
        for (_, stream) in self.streams.extract_if(|id, _| id.context == context) {
            lost += stream.queue.len();
            let kinds = stream.queue.iter().flat_map(|epoch| epoch.tally.kinds());
            kinds.for_each(|kind| costs.give_up(kind.key));
        }
        self.timelines.remove(&context);
        if self.streams.values().all(|stream| stream.started.is_none()) {
            self.late = Nanos::ZERO;
            self.running = Pool::default();
        }
        lost
    }
}
