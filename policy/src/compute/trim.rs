//! The trim: a slow comparison of what was metered with what the driver reports, which removes what metering gets wrong for good.
//!
//! Events measure from the first to the last moment of a piece of work. If the device works for somebody else in between (time
//! slicing), that is measured too, and the slice would get less than its share. NVML knows better, though only in whole percents
//! and up to a second late. `docs/compute-shares.md` says what was tried and does not work.

use super::{Nanos, finish::DEBT_MAX};

/// How often to compare: once in so long.
///
/// A neighbour that starts or stops changes what is measured by half or double, and a few comparisons later that must be over. NVML
/// looks about every sixth of a second.
pub const PERIOD: Nanos = Nanos::from_millis(250);

/// A comparison over more time than this is of samples that are stale.
const WALL_MAX: Nanos = Nanos::from_secs(5);
/// A comparison over less time than this is mostly of what NVML has not seen yet, or still sees of before.
const WALL_MIN: Nanos = Nanos::from_millis(100);

/// The part of a difference that one comparison removes, in tenths: half of it is gone after three or four, in a second. More makes
/// the trim swing where NVML is a second late, and follow work that comes and goes.
const GAIN: u64 = 2;

/// The largest factor that one comparison is believed to show, up or down.
const RATIO_MAX: u64 = 4;

const MILLION: u64 = 1_000_000;
/// One percent, in millionths: what NVML can tell.
const PERCENT: u32 = 10_000;

/// The factor by which metered GPU time is multiplied before it is charged, in millionths: 1/16 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trim(u32);

/// What NVML and the meter say about the same stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How long it was, in wall time.
    pub wall: Nanos,
    /// GPU time of the slice's processes as reported by the driver: percent × `wall` ÷ 100.
    pub reported: Nanos,
    /// GPU time that was metered, as events tell it: not trimmed.
    pub metered: Nanos,
}

/// What NVML and the meter said about a stretch of time, in millionths of it.
///
/// One word of shared memory: the upper half as reported, the lower half as metered. 0, as at first, says that nothing was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    reported: u32,
    metered: u32,
}

impl Rates {
    /// The rates that a word of shared memory stands for.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        Self { reported: half(bits >> 32), metered: half(bits) }
    }

    /// The word of shared memory.
    #[must_use]
    pub fn bits(self) -> u64 {
        u64::from(self.reported) << 32 | u64::from(self.metered)
    }

    /// Whether both are about what they were before, so that NVML, which is late, and the meter speak of the same: within an eighth
    /// and a percent.
    fn are_steady(self, before: Self) -> bool {
        let about = |rate: u32, before: u32| rate.abs_diff(before) <= rate / 8 + PERCENT;
        about(self.reported, before.reported) && about(self.metered, before.metered)
    }
}

impl Stretch {
    /// The stretch's rates.
    #[must_use]
    pub fn rates(self) -> Rates {
        let rate =
            |time: Nanos| u32::try_from(time.in_proportion(MILLION, self.wall.0).0).unwrap_or(u32::MAX);
        Rates { reported: rate(self.reported), metered: rate(self.metered) }
    }
}

impl Trim {
    /// Metered time is what it is.
    pub const ONE: Self = Self(1_000_000);
    /// The smallest factor: small kernels that wait for their turn beside a neighbour's large ones measure ten times what they cost.
    pub const MIN: Self = Self(62_500);
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

    /// The trim after a comparison; `before` are the rates of the last one.
    ///
    /// It stays as it is while the two differ by no more than NVML can tell (one percent of the time), and after a stretch that says
    /// nothing: too short or too long, with next to no work (less than 1 % as reported, then or before, or as metered), or with more
    /// or less of it than before. Steps up and down are of the same size, so that errors that cancel do not leave a trend.
    #[must_use]
    pub fn after(self, stretch: Stretch, before: Rates) -> Self {
        let rates = stretch.rates();
        let works = rates.reported.min(before.reported) >= PERCENT && rates.metered >= PERCENT;
        if !works || !rates.are_steady(before) || !(WALL_MIN..=WALL_MAX).contains(&stretch.wall) {
            return self;
        }
        let (reported, charged) =
            (u64::from(rates.reported), u64::from(rates.metered) * self.bits() / MILLION);
        if reported.abs_diff(charged) <= u64::from(PERCENT) {
            return self;
        }
        let ratio = reported.max(charged) * MILLION / reported.min(charged);
        // 1 + GAIN × (ratio − 1)
        let step = MILLION + (ratio.min(MILLION * RATIO_MAX) - MILLION) * GAIN / 10;
        Self::from_bits(if reported > charged {
            self.bits() * step / MILLION
        } else {
            self.bits() * MILLION / step
        })
    }
}
