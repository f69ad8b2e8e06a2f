//! Time with its unit in the type.

/// A length of time or an instant of a clock that has an origin, in nanoseconds. Enough for 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time, or the clock's origin.
    pub const ZERO: Self = Self(0);

    /// `count` microseconds, or the longest time there is if that is longer.
    #[must_use]
    pub const fn from_micros(count: u64) -> Self {
        Self(count.saturating_mul(1_000))
    }

    /// `count` milliseconds, or the longest time there is if that is longer.
    #[must_use]
    pub const fn from_millis(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000))
    }

    /// `count` seconds, or the longest time there is if that is longer.
    #[must_use]
    pub const fn from_secs(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000_000))
    }

    /// The sum, or the longest time there is if the sum is longer.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or no time if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// How much longer than `other` this is, negative if it is shorter; ±292 years at most.
    #[must_use]
    pub const fn minus(self, other: Self) -> i64 {
        match (self.0.checked_sub(other.0), other.0.checked_sub(self.0)) {
            (Some(longer), _) if longer <= i64::MAX.cast_unsigned() => longer.cast_signed(),
            (Some(_), _) => i64::MAX,
            (_, Some(shorter)) if shorter <= i64::MAX.cast_unsigned() => -shorter.cast_signed(),
            _ => -i64::MAX,
        }
    }

    /// This time × `part` ÷ `whole`, rounded down; the longest time there is if that is longer or `whole` is 0.
    #[must_use]
    pub fn in_proportion(self, part: u64, whole: u64) -> Self {
        let product = u128::from(self.0) * u128::from(part);
        Self(
            product
                .checked_div(u128::from(whole))
                .and_then(|time| u64::try_from(time).ok())
                .unwrap_or(u64::MAX),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_end_at_what_fits() {
        assert_eq!(Nanos(3).minus(Nanos(5)), -2);
        assert_eq!(Nanos(5).minus(Nanos(3)), 2);
        assert_eq!(Nanos(u64::MAX).minus(Nanos::ZERO), i64::MAX);
        assert_eq!(Nanos::ZERO.minus(Nanos(u64::MAX)), -i64::MAX);
    }

    #[test]
    fn proportions_neither_overflow_nor_divide_by_zero() {
        assert_eq!(Nanos(10).in_proportion(1, 3), Nanos(3));
        assert_eq!(Nanos(u64::MAX).in_proportion(7, 7), Nanos(u64::MAX));
        assert_eq!(Nanos(u64::MAX).in_proportion(8, 7), Nanos(u64::MAX));
        assert_eq!(Nanos(1).in_proportion(1, 0), Nanos(u64::MAX));
    }
}
