//! The trim: a comparison of what was metered with what the driver reports, which removes what metering gets wrong for good.
//!
//! Events measure from the first to the last moment of a piece of work. If the device works for somebody else in between (time
//! slicing), that is measured too, and the slice would get less than its share. NVML knows better: it says how much each process
//! used of a device, in whole percents, for windows of a sixth of a second to a second, some time after they have ended.
//!
//! A window is compared with what was metered in the very same time. What is off by a fraction of a window is wrong by that much
//! after every start, pause and change, and would be learnt as if it were metering's fault. Errors that remain cancel out in the
//! sums of a few windows, of which the ratio is taken.

use super::{Nanos, finish::DEBT_MAX};

/// How often to ask NVML: about as often as it has something new.
pub const PERIOD: Nanos = Nanos::from_millis(160);

/// How fast the past fades: a neighbour that starts or stops changes what is measured by half or double, and after a second of
/// windows of a sixth a tenth of that is left.
const MEMORY: Nanos = Nanos::from_millis(350);

const MILLION: u64 = 1_000_000;

/// The factor by which metered GPU time is multiplied before it is charged, in millionths: 1/16 to 4.
///
/// Less than one where neighbours are measured with it: with eight of them in turn, a ninth is the slice's own. More than one only if
/// metering misses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trim(u32);

/// What the driver says of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How long it was, in wall time.
    pub wall: Nanos,
    /// GPU time that the slice's processes used in it.
    reported: Nanos,
    /// By how much that may be wrong.
    slack: Nanos,
}

/// What was reported and metered lately: the longer ago, the less it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lately {
    reported: Nanos,
    metered: Nanos,
    slack: Nanos,
}

/// A sum of percents.
#[derive(Clone, Copy, Default)]
struct Sum {
    percent: u64,
    terms: u64,
}

impl Sum {
    fn of(percents: impl Iterator<Item = u32>) -> Self {
        percents.fold(Self::default(), |sum, one| Self {
            percent: sum.percent + u64::from(one),
            terms: sum.terms + 1,
        })
    }
}

impl Window {
    /// A window of `wall` in which the slice's processes used so many percent each, others' so many, and all together `device`, if
    /// that is known.
    ///
    /// Each percentage is rounded, so the slice's use is told by what takes the fewest: the sum of its own, or what the others
    /// leave of the device. 64 processes that use 0.4 % each use nothing, by the first.
    #[must_use]
    pub fn of(
        wall: Nanos,
        own: impl Iterator<Item = u32>,
        others: impl Iterator<Item = u32>,
        device: Option<u32>,
    ) -> Self {
        let (own, others) = (Sum::of(own), Sum::of(others));
        let rest = device.map(|device| Sum {
            percent: u64::from(device).saturating_sub(others.percent),
            terms: others.terms + 1,
        });
        let least = rest.filter(|rest| rest.terms < own.terms).unwrap_or(own);
        Self {
            wall,
            reported: wall.in_proportion(least.percent.min(100), 100),
            // A little more than half a percent each: sums are rounded, too.
            slack: wall.in_proportion(least.terms.max(1) * 51, 10_000),
        }
    }
}

impl Lately {
    /// With one more window, in which the slice's processes metered `metered`, as events tell it: not trimmed.
    #[must_use]
    pub fn and(self, window: Window, metered: Nanos) -> Self {
        let before = self.after(window.wall);
        Self {
            reported: before.reported.saturating_add(window.reported),
            metered: before.metered.saturating_add(metered),
            slack: before.slack.saturating_add(window.slack),
        }
    }

    /// What is left of it when nothing was added for `span`.
    #[must_use]
    pub fn after(self, span: Nanos) -> Self {
        let left = |sum: Nanos| sum.in_proportion(MEMORY.0, MEMORY.0.saturating_add(span.0));
        Self { reported: left(self.reported), metered: left(self.metered), slack: left(self.slack) }
    }
}

impl Trim {
    /// Metered time is what it is.
    pub const ONE: Self = Self(1_000_000);
    /// The smallest factor.
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

    /// The trim that makes of what was metered lately what was reported.
    ///
    /// It stays as it is while it does that as exactly as percents can tell, and where they tell too little: where no more is
    /// reported than they may be wrong by, twice.
    #[must_use]
    pub fn after(self, lately: Lately) -> Self {
        let Lately { reported, metered, slack } = lately;
        let off = reported.0.abs_diff(metered.in_proportion(self.bits(), MILLION).0);
        if off <= slack.0 || reported <= slack.saturating_add(slack) || metered == Nanos::ZERO {
            return self;
        }
        Self::from_bits(Nanos(MILLION).in_proportion(reported.0, metered.0).0.max(1))
    }
}
