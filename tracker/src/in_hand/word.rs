//! How much one thread has in hand, and how others see that.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[cfg(not(loom))]
use core::sync::atomic::AtomicU64;
#[cfg(loom)]
use loom::sync::atomic::AtomicU64;

/// How much one thread has in hand, which it alone writes.
#[derive(Default)]
pub struct Word(AtomicU64);

/// Memory in hand until this is dropped, by the thread that has taken it.
pub struct Hand<'a> {
    word: &'a Word,
    is_shared: bool,
    stays: PhantomData<*const ()>,
}

impl Word {
    /// Takes memory in hand: before anything is charged, or forgotten. Only for the thread whose word this is.
    #[inline]
    pub fn take(&self) -> Hand<'_> {
        self.0.store(self.0.load(Relaxed) + 1, Release);
        Hand { word: self, is_shared: false, stays: PhantomData }
    }

    /// The same for a word that threads share.
    #[cold]
    pub(super) fn take_shared(&self) -> Hand<'_> {
        self.0.fetch_add(1, Release);
        Hand { word: self, is_shared: true, stays: PhantomData }
    }

    /// Whether nothing is in hand.
    pub fn is_empty(&self) -> bool {
        self.0.load(Acquire) == 0
    }
}

impl Drop for Hand<'_> {
    #[inline]
    fn drop(&mut self) {
        let Word(count) = self.word;
        if self.is_shared {
            count.fetch_sub(1, Release);
        } else {
            count.store(count.load(Relaxed) - 1, Release);
        }
    }
}

/// Does `look`, and says whether nothing was in hand meanwhile and `account` said the same before and after: then what was
/// seen, what is charged and what is known are of one moment.
pub fn watch<A: PartialEq, T>(
    is_empty: impl Fn() -> bool,
    account: impl Fn() -> A,
    look: impl FnOnce() -> T,
) -> (T, bool) {
    // What `account` knows is in hand or was, and then `look` sees it.
    let before = account();
    let is_still = is_empty();
    let seen = look();
    // What `look` has seen is in hand or was, and then `account` knows it.
    let is_still = is_still && is_empty();
    (seen, is_still && account() == before)
}
