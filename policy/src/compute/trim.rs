//! The trim: a slow comparison of what was metered with what the driver reports, which removes what metering gets wrong for good.
//!
//! Events measure from the first to the last moment of a piece of work. If the device works for somebody else in between (time
//! slicing), that is measured too, and the slice would get less than its share. NVML knows better, though only in whole percents
//! and a second late.

use super::{Nanos, finish::DEBT_MAX};

/// How often to compare: once in so long.
pub const PERIOD: Nanos = Nanos::from_secs(1);

/// A comparison over more time than this is of samples that are stale.
const PERIOD_MAX: Nanos = Nanos::from_secs(5);
/// A comparison over less time than this is mostly of what NVML has not seen yet, or still sees of before.
const PERIOD_MIN: Nanos = Nanos::from_millis(500);

/// How much of a difference one comparison removes, in thousandths: three tenths, so that a single bad sample does little and
/// half is gone after two.
const GAIN: u64 = 300;

/// The largest factor that one comparison is believed to show, up or down: within it are up to four tenants in turn.
const RATIO_MAX: u64 = 4;

const MILLION: u64 = 1_000_000;

/// The factor by which metered GPU time is multiplied before it is charged, in millionths: 1/4 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trim(u32);

/// What NVML and the meter say about the same stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How long it was, in wall time.
    pub wall: Nanos,
    /// GPU time of the slice's processes as reported by the driver: percent × `wall` ÷ 100.
    pub reported: Nanos,
    /// GPU time that was metered, after multiplication with the trim.
    pub metered: Nanos,
}

impl Trim {
    /// Metered time is what it is.
    pub const ONE: Self = Self(1_000_000);
    /// The smallest factor.
    pub const MIN: Self = Self(250_000);
    /// The largest factor.
    pub const MAX: Self = Self(4_000_000);

    /// The trim that a word of shared memory stands for: so many millionths, or the nearest there is; 0 is [`Self::ONE`].
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        match bits {
            0 => Self::ONE,
            _ => Self(u32::try_from(bits).unwrap_or(u32::MAX)).clamp(Self::MIN, Self::MAX),
        }
    }

    /// Millionths, and the word of shared memory.
    #[must_use]
    pub fn bits(self) -> u64 {
        u64::from(self.0)
    }

    /// What `metered` GPU time is to be charged as. No more than [`DEBT_MAX`] is measured at a time.
    #[must_use]
    pub fn apply(self, metered: Nanos) -> Nanos {
        Nanos(metered.min(DEBT_MAX).0 * self.bits() / MILLION)
    }

    /// The trim after a comparison.
    ///
    /// It stays as it is after a stretch that was too short or too long ago, after one in which the slice did next to nothing (less
    /// than 5 %), and while the two differ by no more than NVML can tell (one percent of the time).
    #[must_use]
    pub fn after(self, sample: Sample) -> Self {
        let Sample { wall, reported, metered } = sample;
        let least = Nanos(wall.0 / 20);
        if !(PERIOD_MIN..=PERIOD_MAX).contains(&wall) || reported < least || metered == Nanos::ZERO {
            return self;
        }
        if reported.0.abs_diff(metered.0) <= wall.0 / 100 {
            return self;
        }
        let ratio = Nanos(MILLION).in_proportion(reported.0, metered.0).0;
        let ratio = ratio.clamp(MILLION / RATIO_MAX, MILLION * RATIO_MAX);
        // 1 + GAIN × (ratio − 1), without a negative number on the way.
        let factor = (MILLION * (1000 - GAIN) + ratio * GAIN) / 1000;
        Self::from_bits(self.bits() * factor / MILLION)
    }
}
