//! Whether somebody polls.

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use policy::compute::Nanos;

/// Nobody does, and nothing is under way.
const AWAY: u8 = 0;
/// Somebody does, and comes back.
const HERE: u8 = 1;
/// Nobody does, or not soon, and something is under way.
const WANTED: u8 = 2;

/// How those who launch and who polls agree on that.
#[derive(Debug)]
pub(super) struct Attention {
    state: AtomicU8,
    /// When those who launch are to call who polls, though he comes back by himself later.
    call: AtomicU64,
}

impl Default for Attention {
    fn default() -> Self {
        Self { state: AtomicU8::new(AWAY), call: AtomicU64::new(u64::MAX) }
    }
}

impl Attention {
    /// Who polls is going to look, and will not come back unless it [stays](Self::stay). Before the look: what is left after that
    /// is wanted to be seen.
    pub(super) fn look_away(&self) {
        self.state.store(AWAY, Ordering::SeqCst);
    }

    /// Who polls comes back late, and is to be called after `instant`.
    pub(super) fn expect(&self, instant: Nanos) {
        self.call.store(instant.0, Ordering::Relaxed);
    }

    /// Whether he is to be called at `now`, for that reason. Once.
    pub(super) fn is_expected(&self, now: Nanos) -> bool {
        let is_expected = now.0 >= self.call.load(Ordering::Relaxed);
        if is_expected {
            self.expect(Nanos(u64::MAX));
        }
        is_expected
    }

    /// Who polls comes back.
    pub(super) fn stay(&self) {
        self.state.store(HERE, Ordering::SeqCst);
    }

    /// Something was left to be seen.
    pub(super) fn want(&self) {
        if self.state.load(Ordering::SeqCst) == AWAY {
            // If it fails, somebody has looked since, or wants the same.
            let _seen = self.state.compare_exchange(AWAY, WANTED, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Who polls, and meant to come back later, is wanted now.
    pub(super) fn hurry(&self) {
        // If it fails, somebody looks at this moment, or is wanted already.
        let _comes = self.state.compare_exchange(HERE, WANTED, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether somebody is wanted. Once: who hears it sees to it.
    #[inline]
    pub(super) fn is_wanted(&self) -> bool {
        self.state.load(Ordering::Relaxed) == WANTED
            && self.state.compare_exchange(WANTED, HERE, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }
}
