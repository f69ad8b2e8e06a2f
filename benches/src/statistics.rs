//! Order statistics of a few measurements.

use std::fmt;

/// The value below which `percent` of the values lie; 0 without values.
pub fn percentile<T: Copy + Ord + Default>(values: &[T], percent: usize) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

/// The middle value.
pub fn median<T: Copy + Ord + Default>(values: &[T]) -> T {
    percentile(values, 50)
}

/// What the library adds, round by round. A round's two measurements are neighbours in time, so that what else the machine does
/// falls on both.
pub struct Added(Vec<i64>);

impl Added {
    /// In the unit of both.
    #[must_use]
    pub fn of(native: &[u64], library: &[u64]) -> Self {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        Self(native.iter().zip(library).map(|(&native, &library)| signed(library) - signed(native)).collect())
    }

    /// The same in millionths of what it takes natively.
    #[must_use]
    pub fn ppm(native: &[u64], library: &[u64]) -> Self {
        let Self(added) = Self::of(native, library);
        let of_native = |(added, &native): (i64, &u64)| {
            added.saturating_mul(1_000_000) / i64::try_from(native.max(1)).unwrap_or(i64::MAX)
        };
        Self(added.into_iter().zip(native).map(of_native).collect())
    }

    /// How large it is in the middle of the rounds, more or less.
    #[must_use]
    pub fn size(&self) -> u64 {
        median(&self.0.iter().map(|added| added.unsigned_abs()).collect::<Vec<_>>())
    }

    /// The middle round's.
    #[must_use]
    pub fn median(&self) -> i64 {
        median(&self.0)
    }
}

/// The median, and the range in brackets.
impl fmt::Display for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (percentile(&self.0, 0), percentile(&self.0, 100));
        f.pad(&format!("{:+} [{least:+}..{most:+}]", self.median()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks() {
        let values = [5, 1, 4, 2, 3];
        assert_eq!(median(&values), 3);
        assert_eq!(percentile(&values, 99), 5);
        assert_eq!(percentile(&values, 1), 1);
        assert_eq!(median::<u64>(&[]), 0);
    }

    #[test]
    fn what_is_added_is_compared_within_each_round() {
        // The machine was busy in the second round.
        let added = Added::of(&[10, 100, 10], &[13, 102, 9]);
        assert_eq!((added.median(), added.size()), (2, 2));
        assert_eq!(added.to_string(), "+2 [-1..+3]");
        assert_eq!(Added::ppm(&[10, 100, 10], &[13, 102, 9]).to_string(), "+20000 [-100000..+300000]");
    }
}
