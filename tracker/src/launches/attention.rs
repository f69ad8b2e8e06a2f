//! Whether somebody polls.

use core::sync::atomic::{AtomicU8, Ordering};

/// Nobody does, and nothing is under way.
const AWAY: u8 = 0;
/// Somebody does, and comes back.
const HERE: u8 = 1;
/// Nobody does, and something is under way.
const WANTED: u8 = 2;

/// How those who launch and who polls agree on that.
#[derive(Debug, Default)]
pub(super) struct Attention(AtomicU8);

impl Attention {
    /// Who polls is going to look, and will not come back unless it [stays](Self::stay). Before the look: what is left after that
    /// is wanted to be seen.
    pub(super) fn look_away(&self) {
        self.0.store(AWAY, Ordering::SeqCst);
    }

    /// Who polls comes back.
    pub(super) fn stay(&self) {
        self.0.store(HERE, Ordering::SeqCst);
    }

    /// Something was left to be seen.
    pub(super) fn want(&self) {
        if self.0.load(Ordering::SeqCst) == AWAY {
            // If it fails, somebody has looked since, or wants the same.
            let _seen = self.0.compare_exchange(AWAY, WANTED, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Whether somebody is wanted. Once: who hears it sees to it.
    #[inline]
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed) == WANTED
            && self.0.compare_exchange(WANTED, HERE, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }
}
