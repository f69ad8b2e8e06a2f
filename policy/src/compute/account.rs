//! The account of busy time: processes of a slice that work at the same time are not each charged for all of it.
//!
//! Each process measures its own work from beginning to end. If several have work on the device, it goes from one to the other
//! (time slicing), and each measures what all had. They do not know each other's intervals. But together they were busy for no
//! longer than time has passed, and that takes one word to see to.

use super::Nanos;

/// Processes report their work in any order, and this late at most: a few looks, or a late wake-up.
const LATE_MAX: Nanos = Nanos::from_millis(20);

/// An instant of `CLOCK_MONOTONIC` up to which all time has been accounted for: it was idle, or somebody has been charged for it.
///
/// To be kept in one word of shared memory and changed by compare-and-swap. Every word means something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account(Nanos);

impl Account {
    /// Nothing was ever reported.
    pub const NONE: Self = Self(Nanos::ZERO);

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

    /// A process reports at `now` that it was `busy` for so long since `since`. What comes back is to replace the word, and how
    /// much of that is to be charged: no more than was not accounted for.
    #[must_use]
    pub fn report(self, since: Nanos, now: Nanos, busy: Nanos) -> (Self, Nanos) {
        let first = since.min(now).saturating_sub(LATE_MAX);
        // An account of the future is of another clock.
        let from = if self.0 > now.saturating_add(LATE_MAX) { first } else { self.0.clamp(first, now) };
        let until = from.saturating_add(busy).min(now);
        (Self(until), until.saturating_sub(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Nanos {
        Nanos::from_millis(1000 + count)
    }

    const TWO: Nanos = Nanos::from_millis(2);

    #[test]
    fn work_that_took_turns_is_charged_in_full_in_any_order() {
        let (account, first) = Account::NONE.report(ms(6), ms(9), TWO);
        let (account, second) = account.report(ms(0), ms(9), TWO);
        let (_, third) = account.report(ms(3), ms(10), TWO);
        assert_eq!([first, second, third], [TWO; 3]);
    }

    #[test]
    fn work_at_the_same_time_is_charged_for_no_longer_than_it_took() {
        let (mut account, mut charged) = (Account::NONE, Nanos::ZERO);
        for _ in 0..64 {
            let (next, more) = account.report(ms(0), ms(128), Nanos::from_millis(128));
            account = next;
            charged = charged.saturating_add(more);
        }
        assert_eq!(charged, Nanos::from_millis(128 + 20));
        assert_eq!(account.report(ms(300), ms(302), TWO).1, TWO);
    }

    #[test]
    fn any_word_and_any_times_are_answered_with_what_was_reported_at_most() {
        for word in [0, 1, ms(5).0, ms(9).0, u64::MAX] {
            for since in [Nanos::ZERO, ms(5), Nanos(u64::MAX)] {
                let (account, charged) = Account::from_bits(word).report(since, ms(9), TWO);
                assert!(charged <= TWO && account.0 <= ms(9), "{word} {since:?}");
            }
        }
        assert_eq!(Account::from_bits(u64::MAX).report(ms(5), ms(9), TWO).1, TWO);
    }
}
