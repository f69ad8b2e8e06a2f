//! When the slice's processes metered what, to be compared with what the driver's management library says of a stretch of time.

use policy::compute::Nanos;
use policy::compute::trim::{Lately, Trim, Window};
use std::collections::VecDeque;

/// How often the total is remembered, at most.
const STEP: Nanos = Nanos::from_millis(1);

/// For how long: samples come up to a second late.
const MEMORY: Nanos = Nanos::from_secs(3);

/// Nobody polls who has not for so long.
const QUIET: Nanos = Nanos::from_millis(10);

/// Between two points that are farther apart, nobody knows when the total has grown.
const GAP: Nanos = Nanos::from_millis(50);

/// For how long to rely on a trim while processes come and go.
const UNSTEADY: Nanos = Nanos::from_secs(2);

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
    /// The end of the latest window in that.
    compared: Nanos,
    members: Members,
}

/// Who belongs to the slice. What a process has metered that has ended is in the total, and what it used nobody reports any more; of
/// one that has just begun nobody knows yet that what is reported of it is the slice's.
#[derive(Debug, Default)]
struct Members {
    number: u64,
    /// Since when they are known to be the same.
    since: Nanos,
    /// Since when nothing could be compared, for that reason.
    unsteady: Option<Nanos>,
}

impl Trimmer {
    /// All processes of the slice have metered `total` up to `now`, since whenever. To be called after each poll.
    ///
    /// Threads look at the same time, and who has looked first may come here last: then more is known already.
    pub fn note(&mut self, now: Nanos, total: Nanos) {
        let newest = self.curve.back().copied();
        if newest.is_some_and(|(instant, last)| now < instant || total < last) {
            // Less than all that is remembered is another slice's, or somebody's nonsense; so is such a time.
            let is_late =
                self.curve.front().is_some_and(|&(instant, first)| instant <= now && first <= total);
            if is_late {
                return;
            }
            self.curve.clear();
        }
        // The latest point is replaced until the one before is old enough, so that the curve always ends at the latest total.
        if let Some((before, _)) = self.curve.iter().nth_back(1)
            && now.saturating_sub(*before) < STEP
        {
            self.curve.pop_back();
        }
        self.curve.push_back((now, total));
        let old = now.saturating_sub(MEMORY);
        while self.curve.get(1).is_some_and(|(instant, _)| *instant < old) {
            self.curve.pop_front();
        }
    }

    /// The same for a thread that waits for its turn, every now and then: meanwhile others of the slice work. While this process
    /// has work itself, its polls know better.
    pub fn glance(&mut self, now: Nanos, total: Nanos) {
        if self.curve.back().is_none_or(|(newest, _)| now.saturating_sub(*newest) >= QUIET) {
            self.note(now, total);
        }
    }

    /// Whether other processes belong to the slice at `now` than when that was asked last. `number` is another one if so.
    pub fn are_others(&mut self, now: Nanos, number: u64) -> bool {
        let are_others = self.members.number != number;
        if are_others {
            let unsteady = Some(self.members.unsteady.unwrap_or(now));
            self.members = Members { number, since: now, unsteady };
        }
        are_others
    }

    /// The trim after `window`, which ended at `end`, where `trim` is in force. Each window once, in order.
    ///
    /// A window in which processes began or ended tells nothing. Where there are no others for long, what is metered counts as
    /// what it is, which gives the slice less than its share if anything.
    #[must_use]
    pub fn compare(&mut self, end: Nanos, window: Window, trim: Trim) -> Trim {
        let begin = end.saturating_sub(window.wall);
        if begin < self.members.since {
            let is_long = |since: Nanos| end.saturating_sub(since) > UNSTEADY;
            return if self.members.unsteady.is_some_and(is_long) { Trim::ONE } else { trim };
        }
        self.members.unsteady = None;
        let Some(metered) = self.metered(begin, end) else { return trim };
        // Meanwhile, others of the slice may have made the comparisons.
        let pause = begin.saturating_sub(self.compared);
        self.lately = self.lately.after(pause).and(window, metered);
        self.compared = end;
        trim.after(self.lately)
    }

    /// GPU time that was metered between two instants; `None` where that is not known.
    fn metered(&self, from: Nanos, to: Nanos) -> Option<Nanos> {
        let (start, end) = (self.at(from)?, self.at(to)?);
        Some(end.saturating_sub(start))
    }

    /// The total at an instant, on the line between the points around it. None where those are far apart, unless nothing was metered
    /// between them.
    fn at(&self, instant: Nanos) -> Option<Nanos> {
        let after = self.curve.partition_point(|(point, _)| *point < instant);
        let &(right, total) = self.curve.get(after)?;
        if right == instant {
            return Some(total);
        }
        let &(left, before) = self.curve.get(after.checked_sub(1)?)?;
        let (part, whole) = (instant.saturating_sub(left), right.saturating_sub(left));
        let more = total.saturating_sub(before);
        (whole <= GAP || more == Nanos::ZERO)
            .then(|| before.saturating_add(more.in_proportion(part.0, whole.0)))
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
    fn what_processes_metered_that_nobody_reports_on_is_not_held_against_the_others() {
        let (mut trimmer, wall) = (busy_a_third(), millis(166));
        let half = Window::of(wall, std::iter::once(16), std::iter::empty(), None);
        let low = Trim::from_bits(700_000);
        assert!(trimmer.are_others(millis(8400), 2) && !trimmer.are_others(millis(8500), 2));
        // Who has gone worked in this window.
        assert_eq!(trimmer.compare(millis(8500), half, low), low);
        assert_ne!(trimmer.compare(millis(8600), half, low), low);
        // Where they come and go all the time, metered time is soon what it is.
        for (at, trim) in [(8700, low), (9900, low), (10_800, Trim::ONE)] {
            assert!(trimmer.are_others(millis(at), at));
            assert_eq!(trimmer.compare(millis(at), half, low), trim);
        }
    }

    #[test]
    fn when_others_worked_while_nobody_looked_is_not_guessed() {
        let mut trimmer = busy_a_third();
        trimmer.note(millis(9_400), millis(2_997));
        trimmer.note(millis(9_800), millis(3_200));
        assert_eq!(trimmer.metered(millis(8_901), millis(9_300)), Some(millis(30)));
        assert_eq!(trimmer.metered(millis(8_901), millis(9_600)), None);
        assert_eq!(trimmer.metered(millis(8_901), millis(9_800)), Some(millis(233)));
    }

    #[test]
    fn who_waits_remembers_what_others_meter_while_nobody_polls() {
        let mut trimmer = busy_a_third();
        let last = 9 * 999;
        trimmer.glance(millis(last + 9), millis(2_997));
        assert_eq!(trimmer.curve.len(), busy_a_third().curve.len());
        (1..20).for_each(|look| trimmer.glance(millis(last + 20 * look), millis(2_997 + 20 * look)));
        assert_eq!(trimmer.metered(millis(last + 50), millis(last + 250)), Some(millis(200)));
    }

    #[test]
    fn polls_in_quick_succession_take_no_memory() {
        let mut trimmer = Trimmer::default();
        (0..1_000_000).for_each(|at| trimmer.note(Nanos(at * 1000), Nanos(at * 500)));
        assert!(trimmer.curve.len() <= 1002);
        assert_eq!(trimmer.metered(Nanos(998_000_000), Nanos(999_999_000)), Some(Nanos(999_500)));
    }

    #[test]
    fn who_looked_before_another_thread_and_says_so_after_it_is_passed_over() {
        let (mut trimmer, last) = (busy_a_third(), 9 * 999);
        trimmer.note(millis(last - 1), millis(2_997));
        trimmer.note(millis(last + 1), millis(2_996));
        assert_eq!(trimmer.metered(millis(8000), millis(8300)), Some(millis(100)));
        trimmer.note(millis(last + 9), millis(3_000));
        assert_eq!(trimmer.metered(millis(last - 9), millis(last + 9)), Some(millis(6)));
    }

    #[test]
    fn a_total_that_falls_begins_anew() {
        let mut trimmer = busy_a_third();
        trimmer.note(millis(9000), Nanos::ZERO);
        assert_eq!(trimmer.metered(millis(8000), millis(8300)), None);
    }

    #[test]
    fn so_does_a_clock_that_does() {
        let mut trimmer = busy_a_third();
        trimmer.note(millis(900), millis(2_997));
        assert_eq!(trimmer.metered(millis(8000), millis(8300)), None);
    }
}
