//! From what was measured to what is charged.

use policy::compute::Nanos;

/// Work that was seen at one look, together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// When the first of it began.
    pub(super) since: Nanos,
    /// For how long the device was busy with it.
    pub(super) measured: Nanos,
    /// What it was expected to cost.
    pub(super) expected: Nanos,
}

impl Seen {
    pub(super) const NOTHING: Self =
        Self { since: Nanos(u64::MAX), measured: Nanos::ZERO, expected: Nanos::ZERO };

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            since: self.since.min(other.since),
            measured: self.measured.saturating_add(other.measured),
            expected: self.expected.saturating_add(other.expected),
        }
    }
}

/// Measured time, and how much of that is to be charged: other processes of the slice may have been charged for the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    pub(super) measured: Nanos,
    pub(super) charged: Nanos,
}

impl Pool {
    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            measured: self.measured.saturating_add(other.measured),
            charged: self.charged.saturating_add(other.charged),
        }
    }

    /// So much of it, by what was measured, or all.
    pub(super) fn take(self, measured: Nanos) -> Self {
        let measured = measured.min(self.measured);
        Self { measured, charged: self.part(measured) }
    }

    /// What is left of it.
    pub(super) fn without(self, part: Self) -> Self {
        Self {
            measured: self.measured.saturating_sub(part.measured),
            charged: self.charged.saturating_sub(part.charged),
        }
    }

    /// What is charged of a part of what was measured.
    pub(super) fn part(self, measured: Nanos) -> Nanos {
        if self.charged >= self.measured {
            measured
        } else {
            measured.in_proportion(self.charged.0, self.measured.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_charged_alike_and_never_for_more_than_was_measured() {
        let pool = |measured, charged| Pool { measured: Nanos(measured), charged: Nanos(charged) };
        assert_eq!(pool(400, 100).part(Nanos(40)), Nanos(10));
        assert_eq!(pool(400, 500).part(Nanos(40)), Nanos(40));
        assert_eq!(pool(0, 0).part(Nanos::ZERO), Nanos::ZERO);
        assert_eq!(pool(400, 0).part(Nanos(40)), Nanos::ZERO);
    }
}
