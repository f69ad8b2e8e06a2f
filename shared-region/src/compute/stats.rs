//! What one process does with a device's time, for whoever watches, and for whoever shares the device out.

use policy::compute::{Nanos, Share};

use crate::sync::{AtomicU64, Ordering};

/// One process on one device. A cache line of its own; only the process writes it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct ComputeStats {
    launches: AtomicU64,
    /// In nanoseconds, of all threads together.
    waited: AtomicU64,
    /// GPU time measured, in nanoseconds.
    busy: AtomicU64,
    /// Threads that wait now.
    waiting: AtomicU64,
    /// In thousandths; 0 = none yet.
    share: AtomicU64,
    /// CLOCK_MONOTONIC in nanoseconds; 0 = never.
    last_launch: AtomicU64,
    reserved: [AtomicU64; 2],
}

impl ComputeStats {
    /// Counts launches, the latest of them at `now`.
    pub fn launched(&self, launches: u64, now: Nanos) {
        self.launches.fetch_add(launches, Ordering::Relaxed);
        self.last_launch.fetch_max(now.0, Ordering::Relaxed);
    }

    /// Adds GPU time that was measured.
    pub fn used(&self, gpu: Nanos) {
        self.busy.fetch_add(gpu.0, Ordering::Relaxed);
    }

    /// A thread begins to wait for its turn.
    pub fn begin_wait(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread has waited for so long.
    pub fn end_wait(&self, waited: Nanos) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        self.waited.fetch_add(waited.0, Ordering::Relaxed);
    }

    /// Notes the share in force. Mostly it is what it was, and costs a load.
    pub fn note_share(&self, share: Share) {
        let share = u64::from(share.permille());
        if self.share.load(Ordering::Relaxed) != share {
            self.share.store(share, Ordering::Relaxed);
        }
    }

    /// Makes it the line of a process that has done nothing yet. For its next owner, under the claim lock.
    pub(crate) fn clear(&self) {
        let Self { launches, waited, busy, waiting, share, last_launch, reserved: _ } = self;
        for word in [launches, waited, busy, waiting, share, last_launch] {
            word.store(0, Ordering::Relaxed);
        }
    }
}
