//! The lock among threads: one at a time, and each sees what the one before it has done.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p shared-region --release --test loom_latch`
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use shared_region::Latch;

#[derive(Default)]
struct Guarded {
    latch: Latch,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is used under the latch only, which loom checks.
unsafe impl Sync for Guarded {}

impl Guarded {
    /// With the latch taken; lets it go.
    fn increment_and_give(&self) {
        self.value.with_mut(|value| {
            // SAFETY: the latch is taken; loom would report another user.
            unsafe { *value += 1 };
        });
        self.latch.give();
    }

    fn value(&self) -> u64 {
        self.latch.take();
        // SAFETY: as above.
        self.value.with(|value| unsafe { *value })
    }
}

/// Runs `work` in so many threads; the value afterwards, and the sum of what they answered.
fn in_threads(threads: usize, work: fn(&Guarded) -> u64) -> (u64, u64) {
    let guarded = Arc::new(Guarded::default());
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || work(&guarded))
        })
        .collect();
    let own = work(&guarded);
    let answers = others.into_iter().map(|other| other.join().unwrap()).sum::<u64>() + own;
    (guarded.value(), answers)
}

#[test]
fn two_threads_that_wait_for_each_other_both_get_their_turns() {
    loom::model(|| {
        let twice = |guarded: &Guarded| {
            for _ in 0..2 {
                guarded.latch.take();
                guarded.increment_and_give();
            }
            2
        };
        assert_eq!(in_threads(2, twice), (4, 4));
    });
}

/// They do not wait, since loom cannot tell threads that wait from threads that do so for ever.
#[test]
fn of_three_threads_one_at_a_time_has_the_latch() {
    loom::model(|| {
        let twice = |guarded: &Guarded| {
            let try_once = || guarded.latch.try_take().then(|| guarded.increment_and_give());
            u64::from(try_once().is_some()) + u64::from(try_once().is_some())
        };
        let (value, taken) = in_threads(3, twice);
        assert!(value == taken && (2..=6).contains(&taken));
    });
}
