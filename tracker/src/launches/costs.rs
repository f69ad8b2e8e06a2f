//! What launches are expected to cost, by key.

use policy::compute::Nanos;
use policy::compute::cost::Estimate;

use super::known::{self, Learning, State, is_known};
use super::ways::Ways;

/// Sets of four keys: 128 KiB, and more kinds of launches than a large model has.
const SETS: usize = 2048;

/// A kind of launch that has been measured for so long without an end was lost, with its context or its thread.
const LOST: Nanos = Nanos::from_secs(30);

/// What a launch is held to cost at least: what costs nothing could never be corrected in proportion.
const LEAST: Nanos = Nanos(100);

/// What is known of a kind of launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// What one is expected to cost.
    Known(Nanos),
    /// The same after few launches: this one should be measured soon.
    Learning(Nanos),
    /// The same, and as many as should be for so few are under way.
    Awaited(Nanos),
    /// Nothing, and this is who finds out.
    Unknown,
    /// One is under way; before it has ended, nothing is known but what it has cost so far.
    Measuring(Nanos),
}

/// The estimates of one device's launches.
pub(super) struct Costs(Ways);

impl Default for Costs {
    fn default() -> Self {
        Self(Ways::new(SETS))
    }
}

impl Costs {
    /// What a launch of `key` is expected to cost, if that can be relied on.
    #[inline]
    pub(super) fn known(&self, key: u64) -> Option<Nanos> {
        self.0.get(key).filter(|&word| is_known(word)).map(|word| expected(known::estimate(word)))
    }

    /// Whether launches of `key` have cost what is expected for some time.
    #[inline]
    pub(super) fn is_steady(&self, key: u64) -> bool {
        self.0.get(key).is_some_and(known::is_steady)
    }

    /// The same, even if that should not be relied on yet.
    pub(super) fn estimate(&self, key: u64) -> Option<Nanos> {
        Some(State::of(self.0.get(key)?).estimate()).filter(|estimate| estimate.is_known()).map(expected)
    }

    /// The same at `now` for who is going to measure a launch of `key` if it should be and nobody does.
    pub(super) fn look(&self, key: u64, now: Nanos) -> Cost {
        self.0.change(key, |word| match word.map(State::of) {
            Some(State::Known(estimate, _)) => (word, Cost::Known(expected(estimate))),
            Some(State::Learning(learning)) => match learning.tickets.checked_sub(1) {
                Some(tickets) => {
                    let state = State::Learning(Learning { tickets, ..learning });
                    (Some(state.word()), Cost::Learning(expected(learning.estimate)))
                }
                None => (word, Cost::Awaited(expected(learning.estimate))),
            },
            Some(State::Measuring(since)) if now < since.saturating_add(LOST) => {
                (word, Cost::Measuring(Nanos::ZERO))
            }
            Some(State::Running(so_far)) => (word, Cost::Measuring(so_far)),
            _ => (Some(State::Measuring(now).word()), Cost::Unknown),
        })
    }

    /// The launch of `key` that is measured is running, and has cost so much so far.
    pub(super) fn note(&self, key: u64, so_far: Nanos) {
        self.0.change(key, |word| match word.map(State::of) {
            Some(State::Measuring(_) | State::Running(_)) => (Some(State::Running(so_far).word()), ()),
            _ => (word, ()),
        });
    }

    /// Nobody measures `key` any more: what should have been was not launched, or its end will never be known.
    pub(super) fn give_up(&self, key: u64) {
        self.0.change(key, |word| match word.map(State::of) {
            Some(State::Measuring(_) | State::Running(_)) => (None, ()),
            Some(State::Learning(learning)) => {
                (Some(State::Learning(Learning { tickets: learning.tickets.max(1), ..learning }).word()), ())
            }
            _ => (word, ()),
        });
    }

    /// Nothing can be measured here; until something can, a launch of `key` is held to cost `cost`.
    pub(super) fn assume(&self, key: u64, cost: Nanos) {
        self.0.change(key, |word| match word.map(State::of) {
            Some(State::Known(..)) => (word, ()),
            Some(State::Learning(learning)) => (Some(State::Known(learning.estimate, 0).word()), ()),
            _ => (Some(State::Known(Estimate::UNKNOWN.learn(cost, 1), 0).word()), ()),
        });
    }

    /// `launches` launches of `key` have cost `each` on average. Returns what one is expected to cost from now on, if these
    /// were the first.
    pub(super) fn learn(&self, key: u64, each: Nanos, launches: u32) -> Option<Nanos> {
        self.0.change(key, |word| {
            let before = word.map(State::of);
            let after = State::learn(before, each, launches);
            let first = matches!(before, Some(State::Measuring(_) | State::Running(_)));
            (Some(after.word()), first.then(|| expected(after.estimate())))
        })
    }

    /// Forgets `key`: what it means has changed.
    pub(super) fn forget(&self, key: u64) {
        self.0.change(key, |_| (None, ()));
    }
}

#[inline]
fn expected(estimate: Estimate) -> Nanos {
    estimate.expected().max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(9);
    const COST: Nanos = Nanos(3000);

    #[test]
    fn one_measures_and_others_know_since_when() {
        let costs = Costs::default();
        assert_eq!(costs.known(7), None);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        assert_eq!(costs.look(7, NOW.saturating_add(Nanos(5))), Cost::Measuring(Nanos::ZERO));
        costs.note(7, Nanos(2000));
        assert_eq!(costs.look(7, NOW), Cost::Measuring(Nanos(2000)));
        assert_eq!(costs.known(7), None);
        assert_eq!(costs.learn(7, COST, 1), Some(COST));
        assert_eq!(costs.learn(7, COST, 1), None);
    }

    #[test]
    fn twice_as_many_are_under_way_as_were_measured_until_that_is_enough() {
        let costs = Costs::default();
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        let mut measured = 0;
        while measured < 63 {
            costs.learn(7, COST, 1);
            measured += 1;
            assert_eq!(costs.known(7), None);
            assert_eq!(costs.look(7, NOW), Cost::Learning(COST));
            assert_eq!(costs.look(7, NOW), Cost::Learning(COST));
            assert_eq!(costs.look(7, NOW), Cost::Awaited(COST));
        }
        costs.learn(7, COST, 1);
        assert_eq!((costs.known(7), costs.look(7, NOW)), (Some(COST), Cost::Known(COST)));
    }

    #[test]
    fn whoever_gives_up_leaves_it_to_the_next() {
        let costs = Costs::default();
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        costs.give_up(7);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        assert_eq!(costs.look(7, NOW.saturating_add(LOST)), Cost::Unknown);
        costs.learn(7, COST, 1);
        while costs.look(7, NOW) != Cost::Awaited(COST) {}
        costs.give_up(7);
        assert_eq!(costs.look(7, NOW), Cost::Learning(COST));
    }

    #[test]
    fn what_cannot_be_measured_is_assumed_until_it_can() {
        let costs = Costs::default();
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        costs.assume(7, Nanos(50_000));
        assert_eq!(costs.known(7), Some(Nanos(50_000)));
        costs.learn(7, Nanos(100_000), 64);
        assert!(costs.known(7) > Some(Nanos(90_000)));
        costs.assume(7, Nanos(50_000));
        assert!(costs.known(7) > Some(Nanos(90_000)));
    }

    #[test]
    fn a_first_launch_that_was_held_up_is_forgotten_for_the_second() {
        let costs = Costs::default();
        costs.look(7, NOW);
        costs.learn(7, Nanos(100 * COST.0), 1);
        costs.learn(7, COST, 1);
        assert_eq!(costs.look(7, NOW), Cost::Learning(COST));
        // Later, what differs from launch to launch is averaged.
        costs.learn(7, COST, 10);
        costs.learn(7, Nanos(COST.0 / 4), 1);
        assert!(matches!(costs.look(7, NOW), Cost::Learning(cost) if cost > Nanos(COST.0 * 4 / 5)));
    }

    #[test]
    fn a_kind_is_steady_when_measurements_have_confirmed_it_for_some_time_and_until_one_does_not() {
        let costs = Costs::default();
        costs.learn(7, COST, 64);
        (0..8).for_each(|_| {
            assert!(!costs.is_steady(7));
            costs.learn(7, Nanos(COST.0 + COST.0 / 9), 1);
        });
        assert!(costs.is_steady(7) && !costs.is_steady(8));
        for _ in 0..50 {
            costs.learn(7, COST, 1);
        }
        assert_eq!(costs.known(7).map(|cost| cost.0.abs_diff(COST.0) < COST.0 / 50), Some(true));
        costs.learn(7, Nanos(COST.0 * 2), 1);
        assert!(!costs.is_steady(7));
    }

    #[test]
    fn a_key_that_means_something_else_is_unknown() {
        let costs = Costs::default();
        costs.learn(7, COST, 64);
        assert_eq!(costs.known(7), Some(COST));
        costs.forget(7);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
    }

    #[test]
    fn what_cost_nothing_can_still_be_learnt() {
        let costs = Costs::default();
        costs.learn(7, Nanos::ZERO, 64);
        assert_eq!(costs.known(7), Some(LEAST));
    }

    #[test]
    fn the_longest_launch_there_is_stays_a_cost() {
        let costs = Costs::default();
        costs.learn(7, Nanos(u64::MAX), 64);
        assert!(costs.known(7) > Some(Nanos::from_secs(10_000)));
        assert_eq!(costs.look(8, Nanos(u64::MAX)), Cost::Unknown);
        costs.learn(8, Nanos(u64::MAX), 3);
        assert!(matches!(costs.look(8, NOW), Cost::Learning(_)));
    }
}
