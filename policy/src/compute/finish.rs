//! The finish time: the one word that holds a slice to its share of a device.
//!
//! It says until when the slice's share is spent: the instant at which all GPU time that was charged so far has been paid off
//! at the share's rate. Who wants to launch something charges its cost, which moves the finish time on, and waits until what
//! was the finish time before: first come, first served, and nothing to clean up if a waiter is killed. While the slice does
//! less than it may, the finish time lies in the past; there it is worth one [`BURST`] at most.
//!
//! Everything here is a function from word to word, to be applied by compare-and-swap to a word that all processes of the
//! slice share. They may have written anything into it, so every word means something, and none means more than a burst of
//! credit or [`DEBT_MAX`] of debt.
//!
//! | bits | meaning |
//! | --- | --- |
//! | 63–54 | the [`Share`], in thousandths, at whose rate the debt is paid off; 0 or above 1000 = no finish time yet |
//! | 53–0 | the instant, in units of 16 ns of `CLOCK_MONOTONIC`, modulo 2⁵⁴ (9 years) |

use super::{Nanos, Share};

/// How far a finish time in the past counts, in wall time: what a slice may do at once after it was idle is its share of this.
///
/// Long enough to make up for a late wake-up (a few ms), short enough to be nothing in a window of a second.
pub const BURST: Nanos = Nanos::from_millis(20);

/// The most that a slice can owe, in GPU time. What is charged above it is forgiven.
///
/// So a word of a clock that went back, or of someone who writes nonsense, slows a slice down for a bounded time.
pub const DEBT_MAX: Nanos = Nanos::from_secs(60);

/// The longest that a launch is held back at a time, in wall time. What is still owed afterwards stays owed.
pub const WAIT_MAX: Nanos = Nanos::from_secs(2);

/// How long a changed limit may go unnoticed by who waits.
pub const LOOK: Nanos = Nanos::from_millis(20);

/// Nanoseconds in a unit of the word's instant.
const TICK: u64 = 16;
/// Bits of the word's instant.
const INSTANT_BITS: u32 = 54;
const INSTANT: u64 = (1 << INSTANT_BITS) - 1;
/// [`BURST`] in ticks.
const BURST_TICKS: i64 = (BURST.0 / TICK).cast_signed();

/// The finish time of one slice on one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish(u64);

/// What [`Finish::reserve`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Reservation {
    /// The word to put in the place of the old one.
    pub finish: Finish,
    /// When the work may be launched: now or later, an instant of the same clock as `now`.
    pub start: Nanos,
}

impl Reservation {
    /// Until when who has reserved at `now` is to wait: not at all, or [`WAIT_MAX`] at most.
    ///
    /// Nothing that is charged later puts it off.
    #[must_use]
    pub fn wait_until(self, now: Nanos) -> Option<Nanos> {
        (self.start > now).then(|| self.start.min(now.saturating_add(WAIT_MAX)))
    }
}

impl Finish {
    /// Nothing was ever charged.
    pub const NONE: Self = Self(0);

    /// The finish time that a word of shared memory stands for. Every word stands for one.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The word of shared memory.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Charges `cost` of GPU time at the rate of `share`, and says when the work may be launched.
    ///
    /// A word that was paid off at another rate is converted first: what is owed in GPU time stays, only when it will be paid
    /// changes. Under a share that is no limit nothing is charged and nothing waits.
    pub fn reserve(self, now: Nanos, share: Share, cost: Nanos) -> Reservation {
        if !share.is_limit() {
            return Reservation { finish: self, start: now };
        }
        let ahead = self.ahead(now, share);
        // The word's own instant, so that the order of the words is that of the starts.
        let start = u64::try_from(ahead)
            .map_or(now, |ticks| Nanos((now.0 / TICK).saturating_add(ticks).saturating_mul(TICK)));
        let finish = Self::at(now, ahead + ticks(cost, share), share);
        Reservation { finish, start: start.max(now) }
    }

    /// Charges `by` more GPU time, in nanoseconds, or gives it back if it is negative.
    ///
    /// What is given back never makes more credit than a [`BURST`]. Under a share that is no limit nothing changes, as
    /// nothing was charged.
    #[must_use]
    pub fn correct(self, now: Nanos, share: Share, by: i64) -> Self {
        if !share.is_limit() || by == 0 {
            return self;
        }
        let size = Nanos(by.unsigned_abs());
        // What is charged is rounded up and what is given back down: no correction makes GPU time.
        let change = if by < 0 { -whole_ticks(size, share) } else { ticks(size, share) };
        Self::at(now, self.ahead(now, share) + change, share)
    }

    /// What the slice owes at `now`, in GPU time; none if it may launch at once.
    #[must_use]
    pub fn debt(self, now: Nanos) -> Nanos {
        let Some(share) = self.share() else { return Nanos::ZERO };
        let ticks = u64::try_from(self.ahead(now, share)).unwrap_or(0);
        // At most DEBT_MAX ÷ share × share, which fits, and a tick more.
        Nanos(ticks * TICK * u64::from(share.permille()) / 1000).min(DEBT_MAX)
    }

    /// For how much wall time before `now` the slice could have done more than it did, at most a [`BURST`].
    #[must_use]
    pub fn credit(self, now: Nanos) -> Nanos {
        let behind = self.share().map_or(0, |share| -self.ahead(now, share));
        Nanos(u64::try_from(behind).unwrap_or(0) * TICK)
    }

    /// The share at whose rate the debt is being paid off; `None` before anything was charged.
    #[must_use]
    pub fn share(self) -> Option<Share> {
        u16::try_from(self.0 >> INSTANT_BITS).ok().and_then(Share::from_permille)
    }

    /// By how many ticks the finish time is ahead of `now`, behind if negative, for someone whose share is `share`.
    fn ahead(self, now: Nanos, share: Share) -> i64 {
        let Some(own) = self.share() else { return -BURST_TICKS };
        // Both are modulo 2⁵⁴; the difference is the small one of the two, as of a clock face.
        let spare = u64::BITS - INSTANT_BITS;
        let apart = ((self.0.wrapping_sub(now.0 / TICK)) << spare).cast_signed() >> spare;
        // Nobody owes so much more than he can: the instant is that of another clock, and says nothing. Twice, because those
        // who write the word have read the clock at slightly different times.
        if apart > 2 * debt_ticks(own) {
            return 0;
        }
        let ahead = bounded(apart, own);
        if own == share { ahead } else { bounded(convert(ahead, own, share), share) }
    }

    /// The word whose instant is `ahead` ticks after `now`, within what a slice can owe and be owed.
    fn at(now: Nanos, ahead: i64, share: Share) -> Self {
        let instant = (now.0 / TICK).wrapping_add_signed(bounded(ahead, share));
        Self(u64::from(share.permille()) << INSTANT_BITS | instant & INSTANT)
    }
}

/// When a wait until `start` under the share `old` ends now that it is `new`. Never later: others wait their time behind it.
#[must_use]
pub fn sooner(now: Nanos, start: Nanos, old: Share, new: Share) -> Nanos {
    if new <= old {
        return start;
    }
    if !new.is_limit() {
        return now;
    }
    let left = start.saturating_sub(now);
    now.saturating_add(left.in_proportion(u64::from(old.permille()), u64::from(new.permille())))
}

/// The ticks in which `share` pays off `gpu`, rounded up.
const fn ticks(gpu: Nanos, share: Share) -> i64 {
    thousandths(gpu).div_ceil(in_a_tick(share)).cast_signed()
}

/// The ticks in which `share` pays off `gpu`, rounded down.
const fn whole_ticks(gpu: Nanos, share: Share) -> i64 {
    (thousandths(gpu) / in_a_tick(share)).cast_signed()
}

/// Thousandths of a nanosecond in `gpu`, or in [`DEBT_MAX`] if that is less: nobody can owe more.
const fn thousandths(gpu: Nanos) -> u64 {
    if gpu.0 < DEBT_MAX.0 { gpu.0 * 1000 } else { DEBT_MAX.0 * 1000 }
}

/// Thousandths of a nanosecond of GPU time that `share` pays off in a tick.
const fn in_a_tick(share: Share) -> u64 {
    TICK * share.permille() as u64
}

/// The most ticks that a finish time can be ahead.
const fn debt_ticks(share: Share) -> i64 {
    ticks(DEBT_MAX, share)
}

fn bounded(ahead: i64, share: Share) -> i64 {
    ahead.clamp(-BURST_TICKS, debt_ticks(share))
}

/// The ticks in which `to` pays off what `from` pays off in `ahead` ticks, rounded up: debt up, credit down.
fn convert(ahead: i64, from: Share, to: Share) -> i64 {
    let (from, to) = (i64::from(from.permille()), i64::from(to.permille()));
    // At most 4 × 10¹² ticks, times 1000.
    let product = ahead * from;
    product.div_euclid(to) + i64::from(product.rem_euclid(to) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(1000);
    const FIFTH: Share = Share::from_percent(20).unwrap();

    fn later(millis: u64) -> Nanos {
        NOW.saturating_add(Nanos::from_millis(millis))
    }

    fn owing(millis: u64) -> Finish {
        Finish::NONE.reserve(NOW, FIFTH, Nanos::from_millis(millis + 4)).finish
    }

    #[test]
    fn what_is_within_a_burst_starts_at_once_and_what_comes_after_waits_its_turn() {
        // 20 ms at a fifth are 4 ms of GPU time.
        let first = Finish::NONE.reserve(NOW, FIFTH, Nanos::from_millis(5));
        assert_eq!((first.start, first.wait_until(NOW)), (NOW, None));
        let second = first.finish.reserve(NOW, FIFTH, Nanos::from_millis(2));
        assert_eq!(second.start, later(5));
        assert_eq!(second.finish.reserve(NOW, FIFTH, Nanos(1)).start, later(15));
    }

    #[test]
    fn debt_is_paid_off_at_the_rate_of_the_share() {
        let finish = owing(100);
        assert_eq!(finish.debt(NOW), Nanos::from_millis(100));
        assert_eq!(finish.debt(later(250)), Nanos::from_millis(50));
        assert_eq!(finish.debt(later(500)), Nanos::ZERO);
        assert_eq!(finish.debt(later(501)), Nanos::ZERO);
    }

    #[test]
    fn what_was_not_used_is_credit_up_to_a_burst() {
        let finish = owing(100);
        let credits = [499, 505, 5000].map(|millis| finish.credit(later(millis)));
        assert_eq!(credits, [Nanos::ZERO, Nanos::from_millis(5), BURST]);
    }

    #[test]
    fn a_wait_has_an_end_and_the_debt_outlives_it() {
        let reservation = owing(1000).reserve(NOW, FIFTH, Nanos(1));
        assert_eq!(reservation.start, later(5000));
        assert_eq!(reservation.wait_until(NOW), Some(later(2000)));
        assert!(reservation.finish.debt(later(2000)) >= Nanos::from_millis(600));
    }

    #[test]
    fn a_changed_share_keeps_the_debt_and_changes_when_it_is_paid() {
        let half = Share::from_percent(50).unwrap();
        let reservation = owing(100).reserve(NOW, half, Nanos::ZERO);
        assert_eq!(reservation.start, later(200));
        assert_eq!(
            (reservation.finish.share(), reservation.finish.debt(NOW)),
            (Some(half), Nanos::from_millis(100))
        );
    }

    #[test]
    fn a_looser_share_ends_a_wait_sooner_and_a_tighter_one_no_later() {
        let (start, half) = (later(100), Share::from_percent(40).unwrap());
        assert_eq!(sooner(NOW, start, FIFTH, half), later(50));
        assert_eq!(sooner(NOW, start, FIFTH, Share::FULL), NOW);
        assert_eq!(sooner(NOW, start, half, FIFTH), start);
        assert_eq!(sooner(later(200), start, FIFTH, half), later(200));
    }

    #[test]
    fn no_limit_neither_charges_nor_waits_and_forgives_nothing() {
        let finish = owing(100);
        assert_eq!(finish.reserve(NOW, Share::FULL, Nanos::from_secs(1)), Reservation { finish, start: NOW });
        assert_eq!(finish.correct(NOW, Share::FULL, 1_000_000), finish);
    }

    #[test]
    fn a_clock_that_went_back_by_an_hour_costs_nothing() {
        let finish = Finish::NONE.reserve(Nanos::from_secs(5000), FIFTH, Nanos::from_millis(1)).finish;
        assert_eq!(finish.reserve(NOW, FIFTH, Nanos(1)).start, NOW);
        assert_eq!(finish.debt(NOW), Nanos::ZERO);
    }

    #[test]
    fn the_instant_goes_round_without_a_step() {
        let end = Nanos(TICK << INSTANT_BITS);
        let before = Nanos(end.0 - 1_000_000);
        let finish = Finish::NONE.reserve(before, FIFTH, Nanos::from_millis(5)).finish;
        assert_eq!(finish.debt(before), Nanos::from_millis(1));
        assert_eq!(finish.debt(end), Nanos(800_000));
    }
}
