//! When to look again at what nobody asked for by size: kernels take local memory when they are launched, and lazily loaded
//! code comes with its first use, where no rare call can be told apart.
//!
//! No thread does it. A call that allocates counts down, and after so many of them, or when something is expected, looks at
//! the clock; calls that wait for the device or ask about its memory look at the clock each time.

use crate::clock;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The least time between two looks, in milliseconds.
const PERIOD_MS: u64 = 100;

/// How much longer than a look the time to the next one is: so looks cost a process at most half a percent of its time.
const REST: u64 = 200;

/// The longest time to the next look, in milliseconds: a look that took long because the machine was busy does not keep what is
/// charged from being put right.
const REST_MAX_MS: u64 = 2000;

/// After how many allocations to look at the clock.
const CALLS: u32 = 256;

/// The pulse of a process.
pub(super) struct Pulse {
    /// Allocations to go until one looks at the clock. Threads may count over each other: then it takes a few more.
    left: AtomicU32,
    /// Whether each allocation looks at the clock until it is time.
    is_expected: AtomicBool,
    /// The earliest time of the next look, in milliseconds.
    next: AtomicU64,
}

impl Default for Pulse {
    /// The pulse of a process that begins: it has nothing yet that could be seen.
    fn default() -> Self {
        Self {
            left: AtomicU32::new(CALLS),
            is_expected: AtomicBool::new(false),
            next: AtomicU64::new(clock::monotonic_ms() + PERIOD_MS),
        }
    }
}

impl Pulse {
    /// One more allocation; whether it is to look at the clock.
    #[inline]
    pub(super) fn tick(&self) -> bool {
        let left = self.left.load(Relaxed);
        self.left.store(left.saturating_sub(1), Relaxed);
        left == 0
    }

    /// Something may have been taken that is not charged: the next allocations look at the clock.
    pub(super) fn expect(&self) {
        self.is_expected.store(true, Relaxed);
        self.left.store(0, Relaxed);
    }

    /// Does `look` if it is time. Of threads that find it is, one does.
    pub(super) fn when_due(&self, look: impl FnOnce()) {
        let (next, now) = (self.next.load(Relaxed), clock::monotonic_ms());
        let taken = now >= next && self.next.compare_exchange(next, u64::MAX, Relaxed, Relaxed).is_ok();
        if taken {
            self.is_expected.store(false, Relaxed);
        }
        if !self.is_expected.load(Relaxed) {
            self.left.store(CALLS, Relaxed);
        }
        if taken {
            look();
            let end = clock::monotonic_ms();
            self.next.store(end + rest(end.saturating_sub(now)), Relaxed);
        }
    }
}

/// The time to the next look after one that took `took`, both in milliseconds.
fn rest(took: u64) -> u64 {
    took.saturating_mul(REST).clamp(PERIOD_MS, REST_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::rest;

    #[test]
    fn a_look_that_took_long_does_not_keep_the_next_one_away_for_minutes() {
        assert_eq!([0, 1, 5, 100, u64::MAX].map(rest), [100, 200, 1000, 2000, 2000]);
    }
}
