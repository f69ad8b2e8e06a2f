//! What launches are expected to cost, by key.

use policy::compute::Nanos;
use policy::compute::cost::Estimate;

use super::ways::Ways;

/// Sets of four keys: 128 KiB, and more kinds of launches than a large model has.
const SETS: usize = 2048;

/// Marks a word that is the instant since when the first launch of its key is under way.
const MEASURING: u64 = 1 << 62;

/// A kind of launch that has been measured for so long without an end was lost, with its context or its thread.
const LOST: Nanos = Nanos::from_secs(30);

/// What is known of a kind of launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// What one is expected to cost.
    Known(Nanos),
    /// Nothing, and this is who finds out.
    Unknown,
    /// One is under way, since this instant; before it has ended, nothing is known but its age.
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
    /// What a launch of `key` is expected to cost, if that is known.
    #[inline]
    pub(super) fn known(&self, key: u64) -> Option<Nanos> {
        self.0.get(key).filter(|word| word & MEASURING == 0).map(|word| Estimate::from_bits(word).expected())
    }

    /// The same at `now` for who is going to measure a launch of `key` if nobody has and nobody does.
    pub(super) fn look(&self, key: u64, now: Nanos) -> Cost {
        self.0.change(key, |word| match word {
            Some(since) if since & MEASURING != 0 && now < since_of(since).saturating_add(LOST) => {
                (word, Cost::Measuring(since_of(since)))
            }
            Some(known) if known & MEASURING == 0 => {
                (word, Cost::Known(Estimate::from_bits(known).expected()))
            }
            _ => (Some(marked(now)), Cost::Unknown),
        })
    }

    /// The launch of `key` that is measured begins at `start` only.
    pub(super) fn postpone(&self, key: u64, start: Nanos) {
        self.0
            .change(key, |word| (word.map(|word| if is_measuring(word) { marked(start) } else { word }), ()));
    }

    /// Nobody measures `key` any more: what should have been was not launched, or its end will never be known.
    pub(super) fn give_up(&self, key: u64) {
        self.0.change(key, |word| (word.filter(|&word| !is_measuring(word)), ()));
    }

    /// Nothing can be measured here; until something can, a launch of `key` is held to cost `cost`.
    pub(super) fn assume(&self, key: u64, cost: Nanos) {
        let assumed = Estimate::UNKNOWN.learn(cost, 1).bits();
        self.0.change(key, |word| (Some(word.filter(|&word| !is_measuring(word)).unwrap_or(assumed)), ()));
    }

    /// `launches` launches of `key` have cost `each` on average. Returns what one is expected to cost from now on, if these
    /// were the first.
    pub(super) fn learn(&self, key: u64, each: Nanos, launches: u32) -> Option<Nanos> {
        self.0.change(key, |word| {
            let known =
                word.filter(|&word| !is_measuring(word)).map_or(Estimate::UNKNOWN, Estimate::from_bits);
            let learnt = known.learn(each, launches);
            let first = word.filter(|&word| is_measuring(word)).map(|_| learnt.expected());
            (Some(learnt.bits().min(MEASURING - 1)), first)
        })
    }

    /// Forgets `key`: what it means has changed.
    pub(super) fn forget(&self, key: u64) {
        self.0.change(key, |_| (None, ()));
    }
}

const fn is_measuring(word: u64) -> bool {
    word & MEASURING != 0
}

const fn marked(instant: Nanos) -> u64 {
    MEASURING | (instant.0 & (MEASURING - 1))
}

const fn since_of(word: u64) -> Nanos {
    Nanos(word & (MEASURING - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(9);

    #[test]
    fn one_measures_and_others_know_since_when() {
        let costs = Costs::default();
        assert_eq!(costs.known(7), None);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        assert_eq!(costs.look(7, NOW.saturating_add(Nanos(5))), Cost::Measuring(NOW));
        assert_eq!(costs.known(7), None);
        assert_eq!(costs.learn(7, Nanos(3000), 1), Some(Nanos(3000)));
        assert_eq!((costs.known(7), costs.look(7, NOW)), (Some(Nanos(3000)), Cost::Known(Nanos(3000))));
        assert_eq!(costs.learn(7, Nanos(3000), 1), None);
    }

    #[test]
    fn whoever_gives_up_leaves_it_to_the_next() {
        let costs = Costs::default();
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        costs.give_up(7);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
        let much_later = NOW.saturating_add(LOST);
        assert_eq!(costs.look(7, much_later), Cost::Unknown);
        costs.learn(7, Nanos(10), 1);
        costs.give_up(7);
        assert_eq!(costs.known(7), Some(Nanos(10)));
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
    fn a_key_that_means_something_else_is_unknown() {
        let costs = Costs::default();
        costs.learn(7, Nanos(10), 1);
        costs.forget(7);
        assert_eq!(costs.look(7, NOW), Cost::Unknown);
    }
}
