//! How often who polls has to look.
//!
//! What a look is worth is what it corrects. As long as launches cost what they are expected to, that is nothing, and a look costs a
//! wake-up: the greater part of what the library takes of a processor.

use policy::compute::Nanos;

/// After so many looks in a row that found what was expected are looks fewer.
const CALM: u32 = 8;

/// About so much GPU time is then used from one look to the next. A process that has an eighth of the device looks at it an
/// eighth as often, so that those of a slice together look as often as one alone.
const UNSEEN: Nanos = Nanos::from_millis(8);

/// In no longer than this at least: what becomes long is to be noticed.
const INTERVAL_MAX: Nanos = Nanos::from_millis(48);

/// The same near the limit, where a comparison of what was metered with what NVML reports has to be exact, and where not all is
/// measured.
const SHORT: Nanos = Nanos::from_millis(6);

/// For so long does that count.
const REMEMBERED: Nanos = Nanos::from_secs(1);

/// After so much GPU time that was not measured is somebody to look who is not going to soon.
pub(super) const UNMEASURED_MAX: Nanos = UNSEEN;

/// After so long without a look is it better to be called than to wake up: a thread that wakes up by itself does so on a processor
/// that sleeps, which takes it more than all that it has to do.
pub(super) const LONG: Nanos = Nanos::from_millis(32);

/// A look is as expected if it corrects no more than this, or than an eighth of what was expected.
const NOTHING: Nanos = Nanos::from_micros(100);

/// What a look has found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// For how long the device was busy.
    pub(super) busy: Nanos,
    /// What that was expected to cost.
    pub(super) expected: Nanos,
    /// What is to be corrected.
    pub(super) correction: i64,
    /// Whether some of it was not measured: then what has changed is known only of the rest, and what was used until that is seen
    /// is lost.
    pub(super) is_sampled: bool,
}

/// What past looks have found.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    latest: Nanos,
    /// Looks in a row that found what was expected.
    calm: u32,
    interval: Nanos,
    /// When something was not measured last.
    sampled: Option<Nanos>,
    /// What no interval is longer than. No time: looks are to be frequent.
    most: Nanos,
}

impl Rhythm {
    /// Looks may be fewer only as far as this allows: whether the slice is far from its limit, and whether somebody watches closely
    /// what it does.
    pub(super) fn allow(&mut self, is_far: bool, is_watched: bool) {
        self.most = match (is_watched, is_far) {
            (true, _) => Nanos::ZERO,
            (_, true) => INTERVAL_MAX,
            _ => SHORT,
        };
    }

    /// What a look at `now` has found.
    pub(super) fn looked(&mut self, now: Nanos, look: &Look) {
        let wall = now.saturating_sub(core::mem::replace(&mut self.latest, now));
        if look.correction.unsigned_abs() > NOTHING.0.max(look.expected.0 / 8) {
            return self.disturb();
        }
        self.calm = self.calm.saturating_add(1);
        if look.is_sampled {
            self.sampled = Some(now);
        }
        let is_sampling = self.sampled.is_some_and(|latest| now.saturating_sub(latest) < REMEMBERED);
        let most = if is_sampling { SHORT } else { INTERVAL_MAX };
        let most = most.min(self.interval.saturating_add(self.interval)).max(SHORT);
        self.interval = wall.in_proportion(UNSEEN.0, look.busy.0).clamp(UNSEEN.min(most), most);
    }

    /// Something is to be seen soon.
    pub(super) fn disturb(&mut self) {
        self.calm = 0;
        self.interval = Nanos::ZERO;
    }

    /// In how long to look again, where nothing is expected to be other than it was.
    pub(super) fn interval(&self) -> Option<Nanos> {
        (self.calm > CALM && self.most > Nanos::ZERO).then(|| self.interval.min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    /// Looks at intervals of `wall` at which the device was `busy`, as expected. What the interval is after each.
    fn looks(rhythm: &mut Rhythm, count: u32, wall: u64, busy: u64) -> Vec<Option<u64>> {
        let look = |_| {
            let now = rhythm.latest.saturating_add(Nanos(wall));
            rhythm.looked(now, &Look { busy: Nanos(busy), ..Look::default() });
            rhythm.interval().map(|interval| interval.0 / MILLI)
        };
        (0..count).map(look).collect()
    }

    #[test]
    fn who_uses_little_looks_seldom_and_not_before_that_was_found_some_times() {
        let mut rhythm = Rhythm::default();
        rhythm.allow(true, false);
        assert!(looks(&mut rhythm, CALM, 4 * MILLI, MILLI).iter().all(Option::is_none));
        assert_eq!(looks(&mut rhythm, 1, 4 * MILLI, MILLI), [Some(32)]);
        assert_eq!(looks(&mut rhythm, 2, 4 * MILLI, 2 * MILLI), [Some(16), Some(16)]);
        assert_eq!(looks(&mut rhythm, 3, 4 * MILLI, 0), [Some(32), Some(48), Some(48)]);
        assert_eq!(looks(&mut rhythm, 1, 4 * MILLI, 4 * MILLI), [Some(8)]);
        rhythm.looked(rhythm.latest, &Look { is_sampled: true, ..Look::default() });
        assert_eq!(rhythm.interval(), Some(SHORT));
    }

    #[test]
    fn near_the_limit_looks_are_frequent_and_more_so_where_somebody_watches() {
        let mut rhythm = Rhythm::default();
        rhythm.allow(false, false);
        assert_eq!(looks(&mut rhythm, CALM + 1, 4 * MILLI, 0).pop(), Some(Some(6)));
        rhythm.allow(true, true);
        assert_eq!(rhythm.interval(), None);
    }

    #[test]
    fn what_is_not_as_expected_is_looked_at_often_again() {
        let mut rhythm = Rhythm::default();
        rhythm.allow(true, false);
        looks(&mut rhythm, CALM + 1, 4 * MILLI, 0);
        let cost = Nanos::from_millis(1);
        let look = Look { busy: cost, expected: cost, correction: -125_000, is_sampled: false };
        rhythm.looked(rhythm.latest, &look);
        assert!(rhythm.interval().is_some());
        rhythm.looked(rhythm.latest, &Look { correction: -126_000, ..look });
        assert_eq!(rhythm.interval(), None);
        assert!(looks(&mut rhythm, CALM, 4 * MILLI, 0).iter().all(Option::is_none));
    }
}
