//! What the processes of a slice share of a device's time: when it will be paid, how measuring is corrected, and what each of
//! them has used. Instants are those of `CLOCK_MONOTONIC`.
//!
//! Nothing here needs clearing up after a death: the finish word is time already granted, and of a dead process's statistics
//! readers take the history alone.

mod finish;
mod gate;
mod stats;
mod trim;

use crate::devices::DeviceIndex;
use crate::member::Member;
use crate::sync::{AtomicU64, Ordering};
pub use finish::FinishWord;
pub use gate::GateWord;
pub use stats::ComputeStats;
pub use trim::TrimWords;
pub(crate) use trim::source_of;

/// A device's compute time, as one of its slice's processes uses it.
#[derive(Clone, Copy, Debug)]
pub struct Compute<'a> {
    /// When all GPU time charged so far will be paid, for all processes together.
    pub finish: &'a FinishWord,
    /// How measured GPU time is corrected, for all processes together.
    pub trim: &'a TrimWords,
    /// When one of all processes was last let through a closed gate.
    pub gate: &'a GateWord,
    /// What this process does.
    pub stats: &'a ComputeStats,
}

/// A device's words, for all processes together. What launches write has a cache line of its own.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(crate) struct DeviceCompute {
    pub(crate) finish: FinishWord,
    pub(crate) trim: TrimWords,
    pub(crate) gate: GateWord,
    reserved: [AtomicU64; 3],
}

/// Changes `word` as `change` says, which also gives the answer. It is asked again as often as others are faster. Where nothing
/// changes, nothing is written: others' cache line stays theirs.
///
/// Relaxed: each such word stands for itself, and nothing is published by it.
fn update<T>(word: &AtomicU64, change: impl Fn(u64) -> (u64, T)) -> T {
    let mut now = word.load(Ordering::Relaxed);
    loop {
        let (next, answer) = change(now);
        if next == now {
            return answer;
        }
        match word.compare_exchange(now, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return answer,
            Err(other) => now = other,
        }
    }
}

impl Member {
    /// The compute time of `device`; `None` for a forked child that has not joined.
    #[must_use]
    pub fn compute(&self, device: DeviceIndex) -> Option<Compute<'_>> {
        let file = &self.region().file;
        let shared = file.compute(device);
        let stats = file.compute_stats(self.slot(), device);
        let DeviceCompute { finish, trim, gate, .. } = shared;
        self.is_current().then_some(Compute { finish, trim, gate, stats })
    }
}
