//! A lock for work of a few stores among the threads of one process.
//!
//! The standard library's is let go by an exchange, which tells it whether somebody sleeps and has to be woken. That
//! exchange costs as much as taking the lock. This one is let go by a plain store, and nobody is woken: who finds it taken
//! looks again by himself, first at once, then after others have run, then after a moment's sleep, so that its holder
//! gets to run whatever the scheduler thinks of him.
//!
//! It belongs to the process: a forked child has a copy that may be taken for ever, by a thread that it does not have.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

#[cfg(loom)]
use loom::sync::atomic::AtomicBool;
#[cfg(loom)]
use loom::thread::yield_now;

use crate::sync::Ordering;
#[cfg(not(loom))]
use core::sync::atomic::AtomicBool;
#[cfg(not(loom))]
use std::thread::yield_now;

/// A value that one thread at a time uses, for a moment.
#[derive(Debug, Default)]
pub struct BriefLock<T> {
    latch: Latch,
    value: UnsafeCell<T>,
}

// SAFETY: the latch lets one thread at a time at the value, so sharing the lock is sending the value to and fro.
unsafe impl<T: Send> Sync for BriefLock<T> {}

impl<T> BriefLock<T> {
    /// Waits for the value. Whoever has it must not take it again.
    #[inline]
    pub fn lock(&self) -> Held<'_, T> {
        self.latch.take();
        Held { lock: self }
    }
}

/// The value of a [`BriefLock`], until this is dropped.
#[derive(Debug)]
pub struct Held<'a, T> {
    lock: &'a BriefLock<T>,
}

// SAFETY: shared references to this give shared references to the value and nothing else.
unsafe impl<T: Sync> Sync for Held<'_, T> {}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the latch is taken, and only through `&mut self` can the value change.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the latch is taken, and `&mut self` is the only way to the value.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.latch.give();
    }
}

/// The lock without the value: taken or not.
#[derive(Debug, Default)]
pub struct Latch(AtomicBool);

impl Latch {
    /// Waits until the latch is free and takes it. What was done under it before has then happened.
    #[inline]
    pub fn take(&self) {
        if !self.try_take() {
            self.wait();
        }
    }

    /// Lets the latch go. Only for who has taken it.
    #[inline]
    pub fn give(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Takes the latch if it is free; whether it was.
    #[inline]
    #[must_use]
    pub fn try_take(&self) -> bool {
        self.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self) {
        let mut looks = 0;
        while self.0.load(Ordering::Relaxed) || !self.try_take() {
            pause(looks);
            looks += 1;
        }
    }
}

/// What to do after having looked in vain so many times.
#[cfg(not(loom))]
fn pause(looks: u32) {
    /// Longer than the work under the lock takes.
    const AT_ONCE: u32 = 100;
    /// The holder has been interrupted, and this may be his processor.
    const AFTER_OTHERS: u32 = AT_ONCE + 20;
    match looks {
        ..AT_ONCE => core::hint::spin_loop(),
        AT_ONCE..AFTER_OTHERS => yield_now(),
        // A thread of higher priority that only yields keeps a holder of lower priority from running.
        _ => std::thread::sleep(core::time::Duration::from_micros(50)),
    }
}

#[cfg(loom)]
fn pause(_looks: u32) {
    yield_now();
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn no_addition_is_lost_among_threads() {
        let sum = BriefLock::<u64>::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50_000).for_each(|_| *sum.lock() += 1));
            }
        });
        assert_eq!(*sum.lock(), 200_000);
    }

    #[test]
    fn a_holder_who_sleeps_is_waited_for() {
        let value = BriefLock::<u64>::default();
        let mut held = value.lock();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| *value.lock());
            std::thread::sleep(core::time::Duration::from_millis(20));
            *held = 7;
            drop(held);
            assert_eq!(other.join().unwrap(), 7);
        });
    }

    #[test]
    fn a_panic_lets_go() {
        let value = BriefLock::<u64>::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = value.lock();
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err());
        assert_eq!(*value.lock(), 0);
    }
}
