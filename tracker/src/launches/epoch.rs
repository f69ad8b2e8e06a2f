//! Launches that are measured together.

use policy::compute::Nanos;
use policy::compute::lease;

use super::costs::Costs;
use super::modes::Birth;
use super::{StreamId, Work};

/// Kinds of launches in one epoch.
const KINDS: usize = 8;

/// The launches of one key in an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) key: u64,
    pub(super) launches: u32,
    /// What they were expected to cost together.
    pub(super) charged: Nanos,
}

impl Kind {
    /// What each was expected to cost.
    pub(super) fn each(&self) -> Nanos {
        Nanos(self.charged.0 / u64::from(self.launches.max(1)))
    }
}

/// What was launched in an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    kinds: [Kind; KINDS],
    used: usize,
    /// Where the latest launch is counted, and what it was expected to cost.
    latest: usize,
    cost: Nanos,
    pub(super) launches: u32,
    pub(super) charged: Nanos,
}

impl Tally {
    /// Counts a launch; whether there was room for another kind if it is one.
    #[inline]
    pub(super) fn add(&mut self, key: u64, cost: Nanos) -> bool {
        if self.kinds[self.latest].key != key || self.used == 0 {
            let known = self.kinds[..self.used].iter().position(|kind| kind.key == key);
            let Some(place) = known.or_else(|| (self.used < KINDS).then_some(self.used)) else {
                return false;
            };
            self.used = self.used.max(place + 1);
            self.latest = place;
            self.kinds[place].key = key;
        }
        self.cost = cost;
        self.repeat(cost);
        true
    }

    /// Counts one more launch of the kind that the latest one was of.
    #[inline]
    pub(super) fn repeat(&mut self, cost: Nanos) {
        let kind = &mut self.kinds[self.latest];
        kind.launches += 1;
        kind.charged = kind.charged.saturating_add(cost);
        self.launches += 1;
        self.charged = self.charged.saturating_add(cost);
    }

    /// What the latest launch was expected to cost, if it was one of `key`.
    #[inline]
    pub(super) fn repeats(&self, key: u64) -> Option<Nanos> {
        (self.kinds[self.latest].key == key && self.launches > 0).then_some(self.cost)
    }

    /// Whether a launch of `key` can be counted.
    #[inline]
    pub(super) fn has_room_for(&self, key: u64) -> bool {
        self.kinds[self.latest].key == key
            || self.used < KINDS
            || self.kinds.iter().any(|kind| kind.key == key)
    }

    /// Whether the epoch is to end here.
    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.launches >= lease::LAUNCHES_MAX || self.charged.0 >= lease::TIME_MAX.0
    }

    /// Whether the epoch is to end with one more launch of `cost`.
    #[inline]
    pub(super) const fn is_full_with(&self, cost: Nanos) -> bool {
        self.launches + 1 >= lease::LAUNCHES_MAX || self.charged.0.saturating_add(cost.0) >= lease::TIME_MAX.0
    }

    /// The kinds of launches in it.
    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds[..self.used]
    }

    /// The launches will never be measured, so nobody is to wait for that.
    pub(super) fn assume(&self, costs: &Costs) {
        self.kinds().iter().for_each(|kind| costs.assume(kind.key, kind.each()));
    }

    /// Raises what the launches of `key` were expected to cost to `each`, and says by how much that is more.
    pub(super) fn raise(&mut self, key: u64, each: Nanos) -> Nanos {
        let used = self.used;
        let Some(kind) = self.kinds[..used].iter_mut().find(|kind| kind.key == key) else {
            return Nanos::ZERO;
        };
        let raised = Nanos(each.0.saturating_mul(u64::from(kind.launches)));
        let more = raised.saturating_sub(kind.charged);
        kind.charged = kind.charged.saturating_add(more);
        self.charged = self.charged.saturating_add(more);
        more
    }
}

/// An epoch that has begun: its start event is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open<E> {
    pub(super) stream: StreamId,
    pub(super) birth: Birth,
    /// Whether it may go on after a launch.
    pub(super) stays_open: bool,
    /// How often streams had been forgotten.
    pub(super) forgotten: u64,
    /// None: it is not measured.
    pub(super) start: Option<E>,
    /// An instant before the start event was recorded.
    pub(super) since: Nanos,
    /// Whether it is to tell what a launch costs of which nothing is known.
    pub(super) is_awaited: bool,
    /// Whether it comes after a wait, by a thread far from its limit: then the idle time before it says nothing.
    pub(super) is_forgiven: bool,
    pub(super) tally: Tally,
}

impl<E> Open<E> {
    /// Whether `work` can be launched in it.
    #[inline]
    pub(super) fn takes(&self, work: &Work, forgotten: u64) -> bool {
        self.is_of(work.stream, forgotten) && self.tally.has_room_for(work.key)
    }

    /// Whether it is one of `stream` as it is now that streams were forgotten so often.
    #[inline]
    pub(super) fn is_of(&self, stream: StreamId, forgotten: u64) -> bool {
        self.stream == stream && self.forgotten == forgotten
    }
}

/// An epoch whose end event is recorded as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch<E> {
    pub(super) stream: StreamId,
    pub(super) start: E,
    pub(super) end: E,
    /// An instant before the start event was recorded.
    pub(super) since: Nanos,
    /// So long did the host take for the launches: the device was idle for no longer in between.
    pub(super) span: Nanos,
    pub(super) is_awaited: bool,
    pub(super) is_forgiven: bool,
    pub(super) tally: Tally,
}

/// What those who launch leave for the meter.
#[derive(Debug)]
pub(super) struct Inbox<E> {
    pub(super) epochs: Vec<Epoch<E>>,
    /// Events that measure nothing.
    pub(super) unused: Vec<E>,
    /// What epochs that were not measured were expected to cost.
    pub(super) unmeasured: Nanos,
    /// What took longer than that, as who waited for it has seen.
    pub(super) seen: Vec<Seen>,
}

/// Work that somebody has waited for, of which no event tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    /// What it was expected to cost.
    pub(super) charged: Nanos,
}

impl<E> Default for Inbox<E> {
    fn default() -> Self {
        Self { epochs: Vec::new(), unused: Vec::new(), unmeasured: Nanos::ZERO, seen: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Nanos = Nanos::from_micros(10);

    #[test]
    fn launches_are_counted_by_kind_and_in_all() {
        let mut tally = Tally::default();
        for key in [0, 5, 5, 0, 9] {
            assert!(tally.add(key, COST));
        }
        let kinds: Vec<_> =
            tally.kinds().iter().map(|kind| (kind.key, kind.launches, kind.charged)).collect();
        assert_eq!(kinds, [(0, 2, Nanos(20_000)), (5, 2, Nanos(20_000)), (9, 1, COST)]);
        assert_eq!((tally.launches, tally.charged), (5, Nanos(50_000)));
    }

    #[test]
    fn there_is_room_for_eight_kinds() {
        let mut tally = Tally::default();
        assert!((0..8).all(|key| tally.has_room_for(key) && tally.add(key, COST)));
        assert!(!tally.has_room_for(8) && !tally.add(8, COST));
        assert!(tally.has_room_for(3) && tally.add(3, COST));
        assert_eq!(tally.launches, 9);
    }

    #[test]
    fn an_epoch_is_full_with_64_launches_or_a_millisecond() {
        let mut many = Tally::default();
        assert!((0..63).all(|_| many.add(1, Nanos(1)) && !many.is_full()));
        assert!(many.add(1, Nanos(1)) && many.is_full());
        let mut long = Tally::default();
        assert!(long.add(1, Nanos(999_999)) && !long.is_full());
        assert!(long.add(2, Nanos(1)) && long.is_full());
    }

    #[test]
    fn one_more_of_the_latest_kind_is_counted_as_that() {
        let mut tally = Tally::default();
        assert_eq!(tally.repeats(0), None);
        assert!(tally.add(1, COST) && tally.add(2, Nanos(7)));
        assert_eq!((tally.repeats(1), tally.repeats(2)), (None, Some(Nanos(7))));
        tally.repeat(Nanos(7));
        assert_eq!(tally.kinds()[1], Kind { key: 2, launches: 2, charged: Nanos(14) });
        assert_eq!((tally.launches, tally.charged), (3, Nanos(10_014)));
        // With one more it would be full.
        let mut almost = Tally::default();
        (0..62).for_each(|_| assert!(!almost.is_full_with(COST) && almost.add(1, COST)));
        assert!(!almost.is_full_with(COST) && almost.add(1, COST) && almost.is_full_with(COST));
    }

    #[test]
    fn what_is_raised_is_the_difference() {
        let mut tally = Tally::default();
        tally.add(1, COST);
        tally.add(1, COST);
        tally.add(2, COST);
        assert_eq!(tally.raise(1, Nanos(15_000)), Nanos(10_000));
        assert_eq!(tally.charged, Nanos(40_000));
        assert_eq!((tally.raise(1, COST), tally.raise(7, COST)), (Nanos::ZERO, Nanos::ZERO));
    }
}
