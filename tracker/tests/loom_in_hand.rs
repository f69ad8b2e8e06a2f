//! Whoever looks at the account and at what the driver says, and finds that nothing was in hand, has seen both of one moment.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p tracker --release --test loom_in_hand`
#![cfg(loom)]

use core::cell::Cell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire};
use loom::thread;
use tracker::{Word, watch};

/// A process and its driver. What locks do there, single operations do here that acquire and release.
struct World {
    word: Word,
    /// What is charged, and above it the number of changes.
    account: AtomicU64,
    /// What the driver has given out.
    driver: AtomicU64,
}

const CHANGE: u64 = 1 << 32;

impl World {
    fn new(live: u64) -> Arc<Self> {
        Arc::new(Self { word: Word::default(), account: AtomicU64::new(live), driver: AtomicU64::new(live) })
    }

    fn allocate(&self) {
        let _hand = self.word.take();
        self.account.fetch_add(CHANGE + 1, AcqRel);
        self.driver.fetch_add(1, AcqRel);
    }

    fn free(&self) {
        let _hand = self.word.take();
        self.driver.fetch_sub(1, AcqRel);
        self.account.fetch_add(CHANGE - 1, AcqRel);
    }

    /// The driver has none left.
    fn fail_to_allocate(&self) {
        let _hand = self.word.take();
        self.account.fetch_add(CHANGE + 1, AcqRel);
        self.account.fetch_add(CHANGE - 1, AcqRel);
    }

    fn look(&self) {
        let charged = Cell::new(0);
        let account = || {
            let account = self.account.load(Acquire);
            charged.set(account % CHANGE);
            account
        };
        let (figure, is_still) = watch(|| self.word.is_empty(), account, || self.driver.load(Acquire));
        assert!(
            !is_still || figure == charged.get(),
            "the driver said {figure}, {} were charged",
            charged.get()
        );
    }
}

fn explore(live: u64, work: fn(&World)) {
    loom::model(move || {
        let world = World::new(live);
        let other = Arc::clone(&world);
        let other = thread::spawn(move || work(&other));
        world.look();
        other.join().unwrap();
        assert!(world.word.is_empty(), "nobody is left");
    });
}

#[test]
fn an_allocation_is_seen_whole_or_not_at_all() {
    explore(0, World::allocate);
}

#[test]
fn a_free_is_seen_whole_or_not_at_all() {
    explore(1, World::free);
}

#[test]
fn what_follows_each_other_is_seen_in_order() {
    explore(0, |world| {
        world.allocate();
        world.free();
    });
}

#[test]
fn what_fails_is_not_seen() {
    explore(0, World::fail_to_allocate);
}
