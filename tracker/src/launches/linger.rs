//! Whether who polls looks once more when nothing is under way.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use policy::compute::Nanos;

/// When to look again after work was seen to be done and nothing is under way, where looks are frequent.
pub(super) const LINGER: Nanos = Nanos::from_millis(2);

/// How soon work follows work. Where it soon does, to look again costs less than to be woken, by those who launch; where it does
/// not, that look finds nothing.
#[derive(Debug)]
pub(super) struct Linger {
    /// When work was seen to be done last.
    ended: AtomicU64,
    /// Whether who polled has not come back since.
    is_away: AtomicBool,
    /// How long after that he was called, the last time that he was.
    gap: AtomicU64,
}

impl Default for Linger {
    fn default() -> Self {
        Self { ended: AtomicU64::new(0), is_away: AtomicBool::new(false), gap: AtomicU64::new(u64::MAX) }
    }
}

impl Linger {
    /// Somebody polls at `now`.
    pub(super) fn begin(&self, now: Nanos) {
        if self.is_away.swap(false, Ordering::Relaxed) {
            let gap = now.saturating_sub(Nanos(self.ended.load(Ordering::Relaxed)));
            self.gap.store(gap.0, Ordering::Relaxed);
        }
    }

    /// Work was seen at `now` to be done. When to look again if nothing else is under way: after `pause`, if that pays.
    pub(super) fn again(&self, now: Nanos, pause: Nanos) -> Option<Nanos> {
        self.ended.store(now.0, Ordering::Relaxed);
        (self.gap.load(Ordering::Relaxed) < pause.0).then(|| now.saturating_add(pause))
    }

    /// Who polls does not come back.
    pub(super) fn leave(&self) {
        self.is_away.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(1);

    /// When somebody looks again who was called so long after he had seen that work was done.
    fn after(gap: Nanos) -> Option<Nanos> {
        let (linger, called) = (Linger::default(), NOW.saturating_add(gap));
        linger.begin(NOW);
        assert_eq!(linger.again(NOW, LINGER), None);
        linger.leave();
        linger.begin(called);
        // A later look of the same visit tells nothing new.
        linger.begin(called.saturating_add(LINGER));
        linger.again(called, LINGER)
    }

    #[test]
    fn where_work_soon_follows_work_the_next_is_waited_for() {
        let soon = Nanos::from_micros(100);
        assert_eq!(after(soon), Some(NOW.saturating_add(soon).saturating_add(LINGER)));
    }

    #[test]
    fn where_work_comes_now_and_then_nobody_looks_in_vain() {
        assert_eq!(after(Nanos::from_millis(3)), None);
    }
}
