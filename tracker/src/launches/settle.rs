//! What one epoch has cost.

use policy::compute::Nanos;
use policy::compute::busy::Busy;
use policy::compute::cost::in_proportion;

use super::Events;
use super::costs::Costs;
use super::epoch::Epoch;
use super::modes::Modes;
use super::stream::Stream;
use super::timeline::Timeline;
use crate::{ContextId, Table};

/// An epoch that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done<E> {
    pub(super) epoch: Epoch<E>,
    /// What was measured, if the driver told.
    pub(super) measured: Option<Measured>,
}

/// What an epoch was measured to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    /// When it began, and when it ended.
    pub(super) start: Nanos,
    pub(super) end: Nanos,
    /// For how long the device worked for it, and for nothing else that was measured before.
    pub(super) used: Nanos,
}

impl Measured {
    /// How long it took.
    pub(super) fn length(&self) -> Nanos {
        self.end.saturating_sub(self.start)
    }
}

/// All that measuring takes.
pub(super) struct Desk<'a, E, Driver> {
    pub(super) timelines: &'a mut Table<ContextId, Timeline<E>>,
    pub(super) busy: &'a mut Busy,
    pub(super) costs: &'a Costs,
    pub(super) modes: &'a Modes,
    pub(super) events: &'a Driver,
    pub(super) now: Nanos,
}

impl<E: Copy + PartialEq, Driver: Events<E>> Desk<'_, E, Driver> {
    /// Measures `epoch` of `stream`, which is done. Its events are given back.
    pub(super) fn measure(&mut self, stream: &mut Stream<E>, epoch: &Epoch<E>) -> Option<Measured> {
        let Some((start, length)) = self.ask(epoch) else {
            stream.lost(self.now);
            epoch.tally.assume(self.costs);
            return None;
        };
        let end = start.saturating_add(length);
        let is_surprise = Stream::is_surprise(epoch, length);
        // Into a stream that has nothing to do the start event goes at once, and the launch when the host has come to it.
        let came_late = epoch.tally.launches == 1 && !stream.is_close(start, end);
        if let Some(is_dense) = stream.ended((start, end), is_surprise, epoch.is_forgiven, self.now) {
            self.modes.note(epoch.stream, is_dense);
        }
        let work = if is_surprise || came_late { self.work(epoch, length) } else { length };
        let start = end.saturating_sub(work);
        Some(Measured { start, end, used: self.busy.cover(start, end) })
    }

    /// How much of `length` an epoch was at work that may have been idle inside: that was for no longer than the host took for
    /// the launches. What is known of them is believed as far as that is possible.
    fn work(&self, epoch: &Epoch<E>, length: Nanos) -> Nanos {
        let known = match epoch.tally.kinds() {
            [one] if one.launches == 1 => self.costs.estimate(one.key).unwrap_or_default(),
            _ => epoch.tally.charged,
        };
        length.saturating_sub(epoch.span).max(known).min(length)
    }

    /// When the epoch began, and how long it took. None if the driver does not tell.
    fn ask(&mut self, epoch: &Epoch<E>) -> Option<(Nanos, Nanos)> {
        let Self { timelines, events, now, .. } = self;
        let length = events.between(epoch.start, epoch.end);
        events.give_back(epoch.end);
        let timeline = timelines
            .entry(epoch.stream.context)
            .or_insert_with(|| Timeline::new(epoch.start, epoch.since, *now));
        let start = timeline.instant(epoch.start, *events);
        let spare = start.map_or(Some(epoch.start), |start| timeline.renew(epoch.start, start, *now));
        spare.into_iter().for_each(|event| events.give_back(event));
        let (start, length) = (start?, length?);
        timeline.saw(start.saturating_add(length), *now, *events);
        Some((start, length))
    }
}

impl<E> Epoch<E> {
    /// All launches together have cost `used`: each is held to have been expected wrong in the same proportion. Keys that were
    /// measured for the first time go to `raised`, with what one launch costs.
    pub(super) fn teach(&self, used: Nanos, costs: &Costs, raised: &mut Vec<(u64, Nanos)>) {
        for kind in self.tally.kinds() {
            let Some(each) = in_proportion(kind.each(), self.tally.charged, used) else { continue };
            let first = costs.learn(kind.key, each, kind.launches);
            raised.extend(first.map(|each| (kind.key, each)));
        }
    }
}
