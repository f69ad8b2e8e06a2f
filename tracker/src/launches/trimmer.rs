//! When the slice's processes metered what, to be compared with what the driver's management library says of a stretch of time.

use policy::compute::Nanos;
use policy::compute::trim::{Lately, Trim, Window};
use std::collections::VecDeque;

/// How often the total is remembered, at most.
const STEP: Nanos = Nanos::from_millis(1);

/// For how long: samples come up to a second late.
const MEMORY: Nanos = Nanos::from_secs(3);

/// How much GPU time a slice's processes had metered, and when, as far back as samples come late.
///
/// A sample is of a window that ended some time ago, and is to be compared with what was metered in the same window: what was
/// metered since the last look is of another time, and one that is a fifth of a second off is wrong by that much after each
/// start, pause and change.
#[derive(Debug, Default)]
pub struct Trimmer {
    /// Instants and totals, in order.
    curve: VecDeque<(Nanos, Nanos)>,
    lately: Lately,
}

impl Trimmer {
    /// All processes of the slice have metered `total` up to `now`, since whenever. To be called after each poll.
    pub fn note(&mut self, now: Nanos, total: Nanos) {
        let newest = self.curve.back().copied();
        // The latest point is replaced until the one before is old enough, so that the curve always ends at the latest total.
        if let [.., (before, _), (_, last)] = *self.curve.make_contiguous()
            && now.saturating_sub(before) < STEP
            && last <= total
        {
            self.curve.pop_back();
        }
        // A total that falls is another slice's, or somebody's nonsense; so is a clock that does.
        if newest.is_some_and(|(instant, last)| now < instant || total < last) {
            self.curve.clear();
        }
        self.curve.push_back((now, total));
        let old = now.saturating_sub(MEMORY);
        while self.curve.get(1).is_some_and(|(instant, _)| *instant < old) {
            self.curve.pop_front();
        }
    }

    /// The trim after `window`, which ended at `end`, where `trim` is in force. Each window once, in order.
    #[must_use]
    pub fn compare(&mut self, end: Nanos, window: Window, trim: Trim) -> Trim {
        let Some(metered) = self.metered(end.saturating_sub(window.wall), end) else { return trim };
        self.lately = self.lately.and(window, metered);
        trim.after(self.lately)
    }

    /// GPU time that was metered between two instants; `None` where that is not known.
    fn metered(&self, from: Nanos, to: Nanos) -> Option<Nanos> {
        let (start, end) = (self.at(from)?, self.at(to)?);
        Some(end.saturating_sub(start))
    }

    /// The total at an instant, on the line between the points around it.
    fn at(&self, instant: Nanos) -> Option<Nanos> {
        let after = self.curve.partition_point(|(point, _)| *point < instant);
        let &(right, total) = self.curve.get(after)?;
        if right == instant {
            return Some(total);
        }
        let &(left, before) = self.curve.get(after.checked_sub(1)?)?;
        let part = instant.saturating_sub(left).0;
        Some(
            before.saturating_add(
                total.saturating_sub(before).in_proportion(part, right.saturating_sub(left).0),
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Nanos {
        Nanos::from_millis(count)
    }

    fn busy_a_third() -> Trimmer {
        let mut trimmer = Trimmer::default();
        (0..1000).for_each(|at| trimmer.note(millis(9 * at), millis(3 * at)));
        trimmer
    }

    #[test]
    fn what_was_metered_in_a_window_is_read_off_the_curve() {
        let trimmer = busy_a_third();
        assert_eq!(trimmer.metered(millis(8000), millis(8300)), Some(millis(100)));
        assert_eq!(trimmer.metered(Nanos(8_000_000_300), Nanos(8_000_000_600)), Some(Nanos(100)));
    }

    #[test]
    fn a_window_is_compared_with_its_own_time() {
        let (mut trimmer, wall) = (busy_a_third(), millis(166));
        let half = Window::of(wall, std::iter::once(16), std::iter::empty(), None);
        let trim = trimmer.compare(millis(8500), half, Trim::ONE);
        assert!((470_000..490_000).contains(&trim.bits()), "{trim:?}");
        assert_eq!(trimmer.compare(millis(20_000), half, Trim::ONE), Trim::ONE);
    }

    #[test]
    fn nothing_is_known_of_long_ago_and_of_what_comes() {
        let trimmer = busy_a_third();
        assert_eq!(trimmer.metered(millis(5000), millis(8000)), None);
        assert_eq!(trimmer.metered(millis(8000), millis(9000)), None);
        assert_eq!(Trimmer::default().metered(Nanos(1), Nanos(2)), None);
    }

    #[test]
    fn polls_in_quick_succession_take_no_memory() {
        let mut trimmer = Trimmer::default();
        (0..1_000_000).for_each(|at| trimmer.note(Nanos(at * 1000), Nanos(at * 500)));
        assert!(trimmer.curve.len() <= 1002);
        assert_eq!(trimmer.metered(Nanos(998_000_000), Nanos(999_999_000)), Some(Nanos(999_500)));
    }

    #[test]
    fn a_total_that_falls_begins_anew() {
        let mut trimmer = busy_a_third();
        trimmer.note(millis(9000), Nanos::ZERO);
        assert_eq!(trimmer.metered(millis(8000), millis(8300)), None);
    }
}
