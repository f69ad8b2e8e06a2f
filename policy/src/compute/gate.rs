//! Gates: work of a lower priority stands back while a higher one is active.

use super::Nanos;

/// While its gate is closed, a slice may launch one piece of work in so long.
///
/// Keeps what others wait for (a rank of a collective, a lock) moving, and costs the higher priority no more than one of the
/// lower one's kernels every 100 ms: with kernels of 1 ms one part in a hundred.
pub const STARVATION_PERIOD: Nanos = Nanos::from_millis(100);

/// How long an open gate may go unnoticed by who waits for it.
pub const LOOK: Nanos = Nanos::from_millis(5);

/// Whether the gate of a slice of `priority` is closed while slices of the priorities `active` have work to do.
///
/// 0 is the highest priority. Slices of the same priority never hold each other up, and the highest that is active is never held
/// up at all.
#[must_use]
pub fn is_closed(priority: u32, mut active: impl Iterator<Item = u32>) -> bool {
    active.any(|other| other < priority)
}

/// When a slice was last let through its closed gate: an instant of `CLOCK_MONOTONIC`, or never.
///
/// To be kept in one word of shared memory and changed by compare-and-swap, so that of all threads of a slice one goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastPass(Nanos);

impl LastPass {
    /// Not yet, as far as is known.
    pub const NEVER: Self = Self(Nanos::ZERO);

    /// The instant that a word of shared memory stands for.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(Nanos(bits))
    }

    /// The word of shared memory.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0.0
    }

    /// Lets one launch through a closed gate at `now`; what comes back is to replace the word.
    ///
    /// # Errors
    /// When to ask again, if one was let through less than a [`STARVATION_PERIOD`] ago. The gate may have opened before that.
    pub fn pass(self, now: Nanos) -> Result<Self, Nanos> {
        let again = self.0.saturating_add(STARVATION_PERIOD);
        // A last time that lies further ahead than two clocks that were read by turns can differ is another clock's.
        let is_known = self != Self::NEVER && self.0 <= now.saturating_add(STARVATION_PERIOD);
        if is_known && now < again { Err(again) } else { Ok(Self(now)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(5);

    #[test]
    fn only_a_higher_priority_closes_the_gate() {
        assert!(is_closed(1, [1, 0].into_iter()));
        assert!(!is_closed(1, [1, 2].into_iter()));
        assert!(!is_closed(0, [0, 1, 2].into_iter()));
        assert!(!is_closed(7, [].into_iter()));
    }

    #[test]
    fn one_launch_passes_in_a_period() {
        let first = LastPass::NEVER.pass(NOW).unwrap();
        let again = NOW.saturating_add(STARVATION_PERIOD);
        assert_eq!(first.pass(NOW), Err(again));
        assert_eq!(first.pass(Nanos(again.0 - 1)), Err(again));
        assert_eq!(first.pass(again), Ok(LastPass(again)));
    }

    #[test]
    fn a_clock_that_went_back_does_not_close_the_gate_for_good() {
        let hour_ahead = LastPass(NOW.saturating_add(Nanos::from_secs(3600)));
        assert_eq!(hour_ahead.pass(NOW), Ok(LastPass(NOW)));
        assert_eq!(LastPass::from_bits(u64::MAX).pass(NOW), Ok(LastPass(NOW)));
    }

    #[test]
    fn a_clock_that_is_read_by_turns_lets_nobody_through_twice() {
        let just_ahead = LastPass(Nanos(NOW.0 + 1000));
        assert!(just_ahead.pass(NOW).is_err());
    }
}
