//! What happened, for statistics.

use core::sync::atomic::{AtomicU64, Ordering};

use policy::compute::Nanos;

/// What happened since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches. Up to 64 a thread are seen later.
    pub launches: u64,
    /// GPU time that was measured, as events tell it: not trimmed. What is under way counts as long as it has been.
    pub busy: Nanos,
}

/// The same, being counted.
#[derive(Debug, Default)]
pub(super) struct Counting {
    launches: AtomicU64,
    busy: AtomicU64,
}

impl Counting {
    pub(super) fn launched(&self, launches: u32) {
        if launches > 0 {
            self.launches.fetch_add(u64::from(launches), Ordering::Relaxed);
        }
    }

    pub(super) fn was_busy(&self, time: Nanos) {
        if time > Nanos::ZERO {
            self.busy.fetch_add(time.0, Ordering::Relaxed);
        }
    }

    pub(super) fn take(&self) -> Counts {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Counts { launches: take(&self.launches), busy: Nanos(take(&self.busy)) }
    }
}
