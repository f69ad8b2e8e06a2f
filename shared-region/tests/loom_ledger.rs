//! Every interleaving of the ledger's protocol, and every moment of death, under the C11 memory model.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p shared-region --release --test loom_ledger`
#![cfg(loom)]

mod loom_support;

use contract::Uuid;
use loom::sync::Arc;
use loom::thread;
use shared_region::SlotId;
use shared_region::crash::dying_before_write;
use shared_region::devices::{DeviceEntry, DeviceIndex, find_or_claim};

use loom_support::{Device, WRITES, explore, slot};

const LIMIT: u64 = 100;

/// Makes `used` bytes the usage of the first slot.
fn set(device: &Device, used: u64) {
    device.ledger().set(slot(0), used);
}

#[test]
fn two_writers_never_pass_the_limit_and_lose_nothing() {
    explore(None, || {
        let device = Arc::new(Device::default());
        let other = {
            let device = Arc::clone(&device);
            thread::spawn(move || device.ledger().reserve(slot(1), 60, LIMIT).is_ok())
        };
        let here = device.ledger().reserve(slot(0), 60, LIMIT).is_ok();
        let there = other.join().unwrap();
        assert!(here != there, "one fits, both do not");
        assert_eq!((device.ledger().total(), device.sum()), (60, 60));
    });
}

#[test]
fn writers_that_come_and_go_leave_nothing() {
    explore(Some(3), || {
        let device = Arc::new(Device::default());
        let work = |device: &Device, slot: SlotId| {
            device.ledger().reserve(slot, 40, LIMIT).unwrap();
            device.ledger().set(slot, 1);
            assert!(device.ledger().reserve(slot, 50, LIMIT).is_ok() || device.ledger().total() > 0);
            device.ledger().set(slot, 0);
        };
        let other = {
            let device = Arc::clone(&device);
            thread::spawn(move || work(&device, slot(1)))
        };
        work(&device, slot(0));
        other.join().unwrap();
        assert_eq!((device.ledger().total(), device.sum()), (0, 0));
    });
}

#[test]
fn three_writers_fill_the_limit_exactly() {
    explore(Some(2), || {
        let device = Arc::new(Device::default());
        let others = [1, 2].map(|index| {
            let device = Arc::clone(&device);
            thread::spawn(move || device.ledger().reserve(slot(index), 50, LIMIT).is_ok())
        });
        let here = device.ledger().reserve(slot(0), 50, LIMIT).is_ok();
        let granted =
            u64::from(here) + others.map(|other| u64::from(other.join().unwrap())).iter().sum::<u64>();
        assert_eq!(granted, 2);
        assert_eq!((device.ledger().total(), device.sum()), (100, 100));
    });
}

#[test]
fn a_reader_sees_totals_that_were() {
    explore(Some(2), || {
        let device = Arc::new(Device::default());
        let writers = [0, 1].map(|index| {
            let device = Arc::clone(&device);
            thread::spawn(move || {
                device.ledger().set(slot(index), 1 + 9 * index as u64);
                device.ledger().set(slot(index), 2 + 18 * index as u64);
            })
        });
        let (seen, own) = (device.ledger().total(), device.ledger().used(slot(1)));
        assert!([0, 1, 2].contains(&(seen % 10)) && [0, 10, 20].contains(&(seen - seen % 10)), "{seen}");
        assert!([0, 10, 20].contains(&own), "{own}");
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!((device.ledger().total(), device.sum()), (22, 22));
    });
}

/// Usage and total only grow here, so one that was read before it was true is seen to shrink.
fn reads_while_one_writes(read: fn(&Device) -> u64) {
    explore(Some(3), move || {
        let device = Arc::new(Device::default());
        let writer = {
            let device = Arc::clone(&device);
            thread::spawn(move || (1..=3).for_each(|used| set(&device, used)))
        };
        let first = read(&device);
        let second = read(&device);
        assert!(first <= second, "{first}, {second}");
        writer.join().unwrap();
    });
}

#[test]
fn a_reader_never_sees_a_total_before_it_is_true() {
    reads_while_one_writes(|device| device.ledger().total());
}

#[test]
fn a_reader_never_sees_usage_before_it_is_true() {
    reads_while_one_writes(|device| device.ledger().used(slot(0)));
}

#[test]
fn a_reader_sees_the_usage_that_a_helper_has_noted() {
    explore(Some(3), || {
        let device = Arc::new(Device::default());
        for index in [0, 1] {
            device.ledger().set(slot(index), 1);
        }
        let writers = [0, 1].map(|index| {
            let device = Arc::clone(&device);
            thread::spawn(move || device.ledger().set(slot(index), 2))
        });
        let seen = device.ledger().used(slot(0));
        assert!([1, 2].contains(&seen), "{seen}");
        for writer in writers {
            writer.join().unwrap();
        }
    });
}

/// Totals only grow here, so a refusal that was right stays right.
#[test]
fn nobody_is_refused_for_a_total_that_is_not_true_yet() {
    explore(Some(4), || {
        let device = Arc::new(Device::default());
        let writer = {
            let device = Arc::clone(&device);
            thread::spawn(move || [1, 2, 95].into_iter().for_each(|used| set(&device, used)))
        };
        if device.ledger().reserve(slot(1), 10, LIMIT).is_err() {
            let total = device.ledger().total();
            assert!(total + 10 > LIMIT, "refused beside {total}");
        }
        writer.join().unwrap();
    });
}

/// Slot 0 holds 10, makes it 30, and dies on the way; reapers die on the way; slot 1 goes on all the while.
fn deaths_beside_a_writer(victim: usize, reaper: Option<usize>, preemptions: Option<usize>) {
    explore(preemptions, move || {
        let device = Arc::new(Device::default());
        device.ledger().set(slot(0), 10);
        let other = {
            let device = Arc::clone(&device);
            thread::spawn(move || {
                let granted = device.ledger().reserve(slot(1), 90, LIMIT).is_ok();
                device.ledger().set(slot(1), 5);
                granted
            })
        };
        let died = dying_before_write(victim, || device.ledger().set(slot(0), 30)).is_none();
        if let Some(writes) = reaper {
            dying_before_write(writes, || device.ledger().recover(slot(0)));
        }
        let freed = device.ledger().recover(slot(0));
        assert!(died || reaper.is_some() || freed == 30, "{freed}");
        assert!([0, 10, 30].contains(&freed), "{freed}");
        assert_eq!(device.ledger().used(slot(0)), 0);
        other.join().unwrap();
        assert_eq!((device.ledger().total(), device.sum()), (5, 5));
    });
}

#[test]
fn a_writer_killed_anywhere_is_cleared_up_after_exactly() {
    for victim in 0..=WRITES {
        deaths_beside_a_writer(victim, None, Some(3));
    }
}

#[test]
fn a_reaper_killed_anywhere_is_finished_by_the_next() {
    for victim in 0..=WRITES {
        for reaper in 0..WRITES {
            deaths_beside_a_writer(victim, Some(reaper), Some(2));
        }
    }
}

/// The helper (slot 1) dies too, right after or in the middle of helping slot 0.
#[test]
fn a_helper_killed_anywhere_leaves_both_changes_whole() {
    for (victim, helper) in (0..=WRITES).flat_map(|victim| (0..=WRITES).map(move |helper| (victim, helper))) {
        explore(Some(3), move || {
            let device = Arc::new(Device::default());
            let other = {
                let device = Arc::clone(&device);
                thread::spawn(move || {
                    dying_before_write(helper, || device.ledger().set(slot(1), 7));
                    device.ledger().recover(slot(1));
                })
            };
            dying_before_write(victim, || device.ledger().set(slot(0), 30));
            device.ledger().recover(slot(0));
            other.join().unwrap();
            assert_eq!((device.ledger().total(), device.sum()), (0, 0));
        });
    }
}

#[test]
fn a_gpu_never_gets_two_entries() {
    explore(Some(3), || {
        // The stack of a thread in loom is small.
        let entries: Box<[DeviceEntry]> = DeviceIndex::all().map(|_| DeviceEntry::default()).collect();
        let table: Arc<Box<[DeviceEntry; DeviceIndex::COUNT]>> = Arc::new(entries.try_into().unwrap());
        let uuid = |last| Uuid([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, last]);
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || (find_or_claim(&table, uuid(1)), find_or_claim(&table, uuid(2))))
        };
        let second = find_or_claim(&table, uuid(2)).unwrap();
        let first = find_or_claim(&table, uuid(1)).unwrap();
        assert_eq!(other.join().unwrap(), (Ok(first), Ok(second)));
        assert_ne!(first, second);
    });
}
