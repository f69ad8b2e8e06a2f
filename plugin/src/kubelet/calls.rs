//! How often kubelet had devices allocated.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters.
#[derive(Debug, Default)]
pub struct Calls {
    allocated: AtomicU64,
    failed: AtomicU64,
}

impl Calls {
    pub(super) fn count(&self, is_well: bool) {
        let counter = if is_well { &self.allocated } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How often that went well.
    pub fn allocated(&self) -> u64 {
        self.allocated.load(Ordering::Relaxed)
    }

    /// How often it did not.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}
