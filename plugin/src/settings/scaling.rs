//! How much more or less of something is given out than there is.

use std::fmt;

/// A factor in thousandths, 0.001 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling(u32);

/// The largest factor, in thousandths.
const MAX: u32 = 10_000;

impl Scaling {
    /// As much as there is.
    pub const ONE: Self = Self(1000);

    /// The factor nearest to `value`; `None` outside 0.001 to 10.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // Rounded by way of its decimal digits: there is no other conversion that says when there is no such number.
        let thousandths = format!("{:.0}", value * 1000.0).parse().ok()?;
        (1..=MAX).contains(&thousandths).then_some(Self(thousandths))
    }

    /// In thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// So many times `amount`, rounded down.
    #[must_use]
    pub fn of(self, amount: u32) -> u32 {
        u32::try_from(u64::from(amount) * u64::from(self.0) / 1000).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_exact_to_three_places() {
        for (value, amount, scaled) in
            [(1.0, 81_559, 81_559), (0.29, 100, 29), (1.5, 81_559, 122_338), (0.001, 999, 0), (10.0, 7, 70)]
        {
            assert_eq!(Scaling::new(value).unwrap().of(amount), scaled, "{value}");
        }
        assert_eq!(Scaling::new(10.0).unwrap().of(u32::MAX), u32::MAX);
    }

    #[test]
    fn what_is_no_factor_is_refused() {
        for value in [0.0, -1.0, 0.0004, 10.001, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Scaling::new(value), None, "{value}");
        }
    }
}
