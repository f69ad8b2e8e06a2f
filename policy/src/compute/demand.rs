//! How much of a device a slice would use if it could, from what it does.

use super::{Nanos, Share};

/// For so long after it was last seen to work or to wait, a slice counts as doing so.
///
/// What works in turns (a kernel, a pause on the host, a kernel) should not lose and regain what it needs each time. And two of
/// these in a row must fit in the second within which slices are to settle: one that stops is noticed after this, and one that was
/// held back because of it is believed to want everything for as long again.
pub const HOLD: Nanos = Nanos::from_millis(400);

/// For so long after it began, a slice is believed to want all that it is entitled to: by then its mean says what it wants.
pub const START: Nanos = Nanos::from_millis(200);

/// Over about how long a slice's use is averaged.
///
/// A fifth of [`HOLD`]: when a slice that was held back is no longer believed to want everything, the mean must have come to what
/// it does want (e⁻⁵ is less than a percent), or it would be held back again.
const MEAN: Nanos = Nanos(HOLD.0 / 5);

/// A whole device, in thousandths.
const DEVICE: u16 = 1000;
/// In so many steps of thousandths is a demand stated, so that it does not change with every flicker of the mean.
const STEP: u32 = 10;
/// Fractions of a thousandth in which the mean is kept.
const PARTS: u64 = 1 << 10;

/// What one slice was seen to do on one device in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How long the stretch was, in wall time.
    pub wall: Nanos,
    /// GPU time it used.
    pub used: Nanos,
    /// Whether anything of it was held back at some time, or is now.
    pub waited: bool,
}

/// What is known of a slice's demand for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Moving mean of the use, in [`PARTS`] of a thousandth of the device.
    mean: u64,
    /// How long ago it last worked or waited.
    since_work: Nanos,
    /// How long ago it last waited.
    since_wait: Nanos,
    /// How long ago it began, after it had done nothing.
    since_start: Nanos,
}

impl Default for Demand {
    fn default() -> Self {
        Self::NONE
    }
}

impl Demand {
    /// Nothing was seen of the slice.
    pub const NONE: Self = Self {
        mean: 0,
        since_work: Nanos(u64::MAX),
        since_wait: Nanos(u64::MAX),
        since_start: Nanos(u64::MAX),
    };

    /// The demand after one more stretch of time, which follows the last one.
    #[must_use]
    pub fn after(self, seen: Seen) -> Self {
        let works = seen.used > Nanos::ZERO || seen.waited;
        let since = |last: Nanos, now: bool| if now { Nanos::ZERO } else { last.saturating_add(seen.wall) };
        let mean = if works || self.is_active() { self.mean_after(seen) } else { 0 };
        Self {
            mean,
            since_work: since(self.since_work, works),
            since_wait: since(self.since_wait, seen.waited),
            since_start: since(self.since_start, works && !self.is_active()),
        }
    }

    /// Whether the slice has work to do, or had a moment ago.
    #[must_use]
    pub fn is_active(self) -> bool {
        self.since_work < HOLD
    }

    /// Thousandths of the device that the slice uses, averaged over about a tenth of a second.
    #[must_use]
    pub fn used(self) -> u16 {
        u16::try_from(self.mean / PARTS).unwrap_or(DEVICE)
    }

    /// Thousandths of the device that the slice would use, if it is entitled to `entitlement`.
    ///
    /// All of it, if it was held back; else what it uses and a few percent more, so that there is room to see it grow.
    #[must_use]
    pub fn wanted(self, entitlement: Share) -> u16 {
        if !self.is_active() {
            return 0;
        }
        if self.since_wait < HOLD {
            return DEVICE;
        }
        let used = u32::from(self.used());
        let wanted = (used + used / 32 + STEP / 2).next_multiple_of(STEP);
        let least = if self.since_start < START { entitlement.permille() } else { 0 };
        u16::try_from(wanted).unwrap_or(DEVICE).clamp(least, DEVICE)
    }

    /// The mean after `seen`, which weighs the more the longer it was.
    fn mean_after(self, seen: Seen) -> u64 {
        let wall = seen.wall.max(Nanos(1));
        let sample = Nanos(u64::from(DEVICE) * PARTS).in_proportion(seen.used.min(wall).0, wall.0);
        let (old, new) = (Nanos(self.mean), wall.0.saturating_add(MEAN.0));
        old.in_proportion(MEAN.0, new).saturating_add(sample.in_proportion(wall.0, new)).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Nanos = Nanos::from_millis(50);
    const THIRD: Share = Share::from_permille(333).unwrap();

    fn seen(percent: u64, waited: bool) -> Seen {
        Seen { wall: TICK, used: TICK.in_proportion(percent, 100), waited }
    }

    fn after(ticks: usize, demand: Demand, seen: Seen) -> Demand {
        (0..ticks).fold(demand, |demand, _| demand.after(seen))
    }

    #[test]
    fn who_begins_wants_what_he_is_entitled_to_until_he_shows_what_he_uses() {
        assert_eq!(Demand::NONE.wanted(THIRD), 0);
        let begun = Demand::NONE.after(seen(1, false));
        assert_eq!(begun.wanted(THIRD), 333);
        let shown = after(30, begun, seen(10, false));
        assert!((110..=130).contains(&shown.wanted(THIRD)), "{}", shown.wanted(THIRD));
    }

    #[test]
    fn who_was_held_back_wants_everything_for_a_while() {
        let held = Demand::NONE.after(seen(30, true));
        assert_eq!(held.wanted(THIRD), 1000);
        assert_eq!(after(7, held, seen(30, false)).wanted(THIRD), 1000);
        assert!(after(8, held, seen(30, false)).wanted(THIRD) < 400);
    }

    #[test]
    fn who_does_nothing_wants_nothing_after_a_while() {
        let busy = after(100, Demand::NONE, seen(80, false));
        assert!(after(7, busy, seen(0, false)).is_active());
        let gone = after(8, busy, seen(0, false));
        assert_eq!((gone.is_active(), gone.wanted(THIRD)), (false, 0));
    }

    #[test]
    fn who_returns_is_not_held_to_what_he_did_long_ago() {
        let gone = after(20, after(100, Demand::NONE, seen(80, false)), seen(0, false));
        assert!(gone.after(seen(1, false)).used() < 10);
    }

    #[test]
    fn more_than_the_device_is_not_believed() {
        let liar = Seen { wall: TICK, used: Nanos(u64::MAX), waited: false };
        assert!(after(100, Demand::NONE, liar).used() <= 1000);
        assert_eq!(Demand::NONE.after(Seen { wall: Nanos::ZERO, ..liar }).used(), 0);
    }
}
