//! Memory in hand: the driver is being asked for it or given it back, and what is charged, what is known and what the driver
//! says need not agree. Whoever compares them has to know whether there is any.

use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Release};

/// How many calls of a process have memory in hand.
#[derive(Default)]
pub(super) struct InHand(AtomicU32);

/// Memory in hand until this is dropped.
pub(super) struct Hand<'a>(&'a InHand);

impl InHand {
    /// Takes memory in hand: before anything is charged, or forgotten.
    #[inline]
    pub(super) fn take(&self) -> Hand<'_> {
        self.0.fetch_add(1, Release);
        Hand(self)
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.0.load(Acquire)
    }
}

impl Drop for Hand<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Release);
    }
}
