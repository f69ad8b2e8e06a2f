//! What a launch is expected to cost.

use super::Nanos;

/// What a launch of which nothing is known is expected to cost: a middling kernel.
pub const UNKNOWN: Nanos = Nanos::from_micros(50);

/// So many launches does the old mean weigh against the new ones.
///
/// Few, so that a change of the input size is learnt within a few epochs; the rest is settled by measurement anyway.
const MEMORY: u64 = 7;

/// Parts of a nanosecond in which the mean is kept, so that rounding does not hold it below what it tends to.
const PARTS: u64 = 16;

/// The expected cost of one launch of a kind: a moving mean of what such launches cost.
///
/// The mean and not, say, the least: what differs from launch to launch must be right in sum. One word, for a table of atomics:
/// 0 is unknown, anything else the mean in sixteenths of a nanosecond, at least 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate(u64);

impl Estimate {
    /// Nothing was measured yet.
    pub const UNKNOWN: Self = Self(0);

    /// The estimate of a word from [`bits`](Self::bits).
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The word to keep.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether something was measured.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0 != 0
    }

    /// What a launch is expected to cost: the mean to the nearest nanosecond, or [`UNKNOWN`].
    #[must_use]
    pub const fn expected(self) -> Nanos {
        if self.is_known() {
            Nanos((self.0 / PARTS).saturating_add((self.0 % PARTS) / (PARTS / 2)))
        } else {
            UNKNOWN
        }
    }

    /// The estimate after `launches` launches that cost `each` on average.
    #[must_use]
    pub fn learn(self, each: Nanos, launches: u32) -> Self {
        let (sample, launches) = (each.0.saturating_mul(PARTS), u64::from(launches));
        if launches == 0 {
            return self;
        }
        if !self.is_known() {
            return Self(sample.max(1));
        }
        let sum = u128::from(self.0) * u128::from(MEMORY) + u128::from(sample) * u128::from(launches);
        let mean = sum / u128::from(MEMORY + launches);
        Self(u64::try_from(mean).unwrap_or(u64::MAX).max(1))
    }
}

/// What one launch of a kind that was expected to cost `expected` cost, in an epoch whose launches of several kinds were together
/// expected to cost `charged` and took `measured`: each is held to be wrong in the same proportion.
///
/// `None` if nothing was expected of the epoch, which then says nothing about its parts.
#[must_use]
pub fn in_proportion(expected: Nanos, charged: Nanos, measured: Nanos) -> Option<Nanos> {
    (charged > Nanos::ZERO).then(|| expected.in_proportion(measured.0, charged.0))
}
