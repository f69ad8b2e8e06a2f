//! Looking for the dead now and then, so that what they held is not shown as used for long.
//!
//! Whoever needs their memory does not wait for this: a request that does not fit looks for them itself.

use super::member::Member;
use crate::clock;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Half of the second in which everything of a dead process is to be back.
const PERIOD_MS: u64 = 500;

/// When this process looked last, in milliseconds.
#[derive(Default)]
pub(super) struct Sweep(AtomicU64);

impl Sweep {
    /// Clears up after dead processes, if that was not done just now. One system call a living process.
    pub(super) fn when_due(&self, member: &Member) {
        let (last, now) = (self.0.load(Relaxed), clock::monotonic_ms());
        let is_due = now.saturating_sub(last) >= PERIOD_MS;
        // Of threads that find it due together, one looks.
        if is_due && self.0.compare_exchange(last, now, Relaxed, Relaxed).is_ok() {
            // What cannot be cleared up stays charged, as it would have without looking.
            let _ = member.account.reap();
        }
    }
}
