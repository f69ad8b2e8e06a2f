//! What one epoch has cost.

use policy::compute::Nanos;
use policy::compute::busy::Busy;
use policy::compute::cost::in_proportion;

use super::costs::Costs;
use super::epoch::Epoch;
use super::modes::Modes;
use super::stream::Stream;
use super::timeline::Timeline;
use super::{Events, StreamId};
use crate::{ContextId, Table};

/// GPU time that an epoch has used, and what had been charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) used: Nanos,
    pub(super) charged: Nanos,
}

/// All that settling takes.
pub(super) struct Desk<'a, E, Driver> {
    pub(super) timelines: &'a mut Table<ContextId, Timeline<E>>,
    pub(super) busy: &'a mut Busy,
    pub(super) costs: &'a Costs,
    pub(super) modes: &'a Modes,
    pub(super) events: &'a Driver,
    pub(super) now: Nanos,
}

impl<E: Copy + PartialEq, Driver: Events<E>> Desk<'_, E, Driver> {
    /// Settles `epoch` of `stream`, which is done. Keys that were measured for the first time go to `raised`, with what one
    /// launch costs.
    pub(super) fn settle(
        &mut self,
        id: StreamId,
        stream: &mut Stream<E>,
        epoch: &Epoch<E>,
        raised: &mut Vec<(u64, Nanos)>,
    ) -> Settled {
        let charged = epoch.tally.charged;
        let Some((start, length)) = self.measure(epoch) else {
            stream.lost(self.now);
            for kind in epoch.tally.kinds() {
                self.costs.assume(kind.key, Nanos(kind.charged.0 / u64::from(kind.launches.max(1))));
            }
            return Settled { used: charged, charged };
        };
        let end = start.saturating_add(length);
        let is_surprise = Stream::is_surprise(epoch, length);
        if let Some(is_dense) = stream.ended(start, end, is_surprise, self.now) {
            self.modes.note(id, is_dense);
        }
        // The device was idle inside for no longer than the host took for the launches: if it may have been, what was expected
        // is believed as far as that is possible.
        let least = length.saturating_sub(epoch.span).max(charged).min(length);
        let used = self.busy.cover(if is_surprise { end.saturating_sub(least) } else { start }, end);
        self.learn(epoch, used, raised);
        Settled { used, charged }
    }

    /// When the epoch began, and how long it took. None if the driver does not tell.
    fn measure(&mut self, epoch: &Epoch<E>) -> Option<(Nanos, Nanos)> {
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
        timeline.saw(start.saturating_add(length), *now);
        Some((start, length))
    }

    fn learn(&self, epoch: &Epoch<E>, used: Nanos, raised: &mut Vec<(u64, Nanos)>) {
        for kind in epoch.tally.kinds() {
            let launches = kind.launches.max(1);
            let expected = Nanos(kind.charged.0 / u64::from(launches));
            let Some(each) = in_proportion(expected, epoch.tally.charged, used) else { continue };
            let first = self.costs.learn(kind.key, each, launches);
            raised.extend(first.map(|each| (kind.key, each)));
        }
    }
}
