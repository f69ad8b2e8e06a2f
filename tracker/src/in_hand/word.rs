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
    stays: PhantomData<*const ()>,
}

/// Set in a word that several threads write.
const SHARED: u64 = 1 << 63;

impl Word {
    /// A word for threads that have none of their own.
    pub(super) fn shared() -> Self {
        Self(AtomicU64::new(SHARED))
    }

    /// Takes memory in hand: before anything is charged, or forgotten. Only for the thread whose word this is.
    #[inline]
    pub fn take(&self) -> Hand<'_> {
        self.0.store(self.0.load(Relaxed) + 1, Release);
        Hand { word: self, stays: PhantomData }
    }

    /// The same for a word that threads share.
    #[cold]
    pub(super) fn take_shared(&self) -> Hand<'_> {
        self.0.fetch_add(1, Release);
        Hand { word: self, stays: PhantomData }
    }

    /// Whether nothing is in hand.
    pub fn is_empty(&self) -> bool {
        self.0.load(Acquire) & !SHARED == 0
    }

    #[cold]
    fn give_shared(&self) {
        self.0.fetch_sub(1, Release);
    }
}

impl Drop for Hand<'_> {
    #[inline]
    fn drop(&mut self) {
        let count = self.word.0.load(Relaxed);
        if count < SHARED {
            self.word.0.store(count - 1, Release);
        } else {
            self.word.give_shared();
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
