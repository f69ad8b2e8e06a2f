//! Writing a dead process's usage off, by several at once, by the stopped and by those who die in the middle.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p shared-region --release --test loom_write_off`
#![cfg(loom)]

mod loom_support;

use loom::sync::Arc;
use loom::thread;
use shared_region::crash::dying_before_write;

use loom_support::{Device, WRITES, explore, slot};

/// Slot `index` takes back what `dead` holds.
fn take_back(device: &Device, index: usize, dead: usize) -> u64 {
    let ledger = device.ledger();
    ledger.write_off(slot(index), slot(dead), ledger.holding(slot(dead)))
}

/// Slot 0 has died with 10, and the owners of slots 1 and 2 both find out.
#[test]
fn two_processes_that_write_off_the_same_slot_free_it_once() {
    explore(Some(2), || {
        let device = Arc::new(Device::default());
        device.ledger().set(slot(0), 10);
        let other = {
            let device = Arc::clone(&device);
            thread::spawn(move || take_back(&device, 1, 0))
        };
        let here = take_back(&device, 2, 0);
        assert_eq!(here + other.join().unwrap(), 10);
        assert_eq!((device.ledger().total(), device.sum()), (0, 0));
    });
}

/// A reaper is stopped anywhere, while another finishes and the slot's next owner goes on: the first one's memory is not needed.
#[test]
fn a_reaper_that_is_stopped_harms_neither_the_next_reaper_nor_the_slots_next_owner() {
    explore(Some(2), || {
        let device = Arc::new(Device::default());
        device.ledger().set(slot(0), 10);
        let stopped = {
            let device = Arc::clone(&device);
            thread::spawn(move || {
                let ledger = device.ledger();
                let holding = ledger.holding(slot(0));
                // By the time it asks, the slot may be another's: then it does not touch it (`reap.rs` looks at the tenure).
                if holding.bytes == 10 { ledger.write_off(slot(1), slot(0), holding) } else { 0 }
            })
        };
        let here = take_back(&device, 2, 0);
        for used in [3, 4] {
            device.ledger().set(slot(0), used);
            assert_eq!(device.ledger().used(slot(0)), used);
        }
        assert_eq!(here + stopped.join().unwrap(), 10);
        assert_eq!((device.ledger().total(), device.sum()), (4, 4));
    });
}

/// Slot 0 has died; slot 1 dies in the middle of writing it off, beside slot 2, which then writes off both.
#[test]
fn a_reaper_killed_anywhere_is_written_off_with_what_it_was_writing_off() {
    for reaper in 0..=WRITES + 2 {
        explore(Some(2), move || {
            let device = Arc::new(Device::default());
            device.ledger().set(slot(0), 10);
            device.ledger().set(slot(1), 20);
            let other = {
                let device = Arc::clone(&device);
                thread::spawn(move || {
                    dying_before_write(reaper, || take_back(&device, 1, 0));
                })
            };
            device.ledger().set(slot(2), 5);
            assert_eq!(device.ledger().used(slot(2)), 5);
            other.join().unwrap();
            take_back(&device, 2, 0);
            assert_eq!(take_back(&device, 2, 1), 20);
            assert_eq!((device.ledger().total(), device.sum()), (5, 5));
        });
    }
}

/// Who takes over the dead slot 0 clears it in its own name, while slot 1 writes it off and goes on to write off slot 2.
#[test]
fn taking_a_slot_over_and_writing_it_off_at_once_frees_it_once() {
    explore(Some(2), || {
        let device = Arc::new(Device::default());
        device.ledger().set(slot(0), 10);
        device.ledger().set(slot(2), 20);
        let holding = device.ledger().holding(slot(0));
        let other = {
            let device = Arc::clone(&device);
            thread::spawn(move || {
                device.ledger().write_off(slot(1), slot(0), holding);
                take_back(&device, 1, 2)
            })
        };
        device.ledger().recover(slot(0));
        device.ledger().set(slot(0), 3);
        assert_eq!(device.ledger().used(slot(0)), 3);
        assert_eq!(other.join().unwrap(), 20);
        assert_eq!((device.ledger().total(), device.sum()), (3, 3));
    });
}
