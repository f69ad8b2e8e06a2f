//! The ledger in one thread: sums, limits, and death before any write.

use proptest::prelude::*;

use super::*;
use crate::crash::dying_before_write;

/// More writes than any change or recovery does.
const MANY_WRITES: usize = 12;

/// A device that three processes use.
#[derive(Default)]
struct Device {
    head: HeadWord,
    cells: [Cell; 3],
    write_offs: [WriteOff; 3],
}

impl Cells for &Device {
    fn cell(&self, slot: SlotId) -> &Cell {
        &self.cells[slot.index() % 3]
    }

    fn write_off(&self, slot: SlotId) -> &WriteOff {
        &self.write_offs[slot.index() % 3]
    }
}

impl Device {
    fn ledger(&self) -> Ledger<'_, &Self> {
        Ledger::new(&self.head, self)
    }

    fn usage(&self) -> [u64; 3] {
        SLOTS.map(|slot| self.ledger().used(slot))
    }

    fn assert_total_is_the_sum(&self) {
        assert_eq!(self.ledger().total(), self.usage().iter().sum::<u64>());
    }
}

const A: SlotId = SlotId::ZERO;
const B: SlotId = SlotId::wrapping(1);
const C: SlotId = SlotId::wrapping(2);
const SLOTS: [SlotId; 3] = [A, B, C];

#[test]
fn the_last_byte_that_fits_is_granted_and_the_next_refused() {
    let device = Device::default();
    let ledger = device.ledger();
    assert_eq!(ledger.reserve(A, 60, 100), Ok(Balance { used: 60, total: 60 }));
    assert_eq!(ledger.reserve(B, 41, 100), Err(OverLimit));
    assert_eq!(ledger.reserve(B, 40, 100), Ok(Balance { used: 40, total: 100 }));
    assert_eq!(ledger.reserve(B, 1, 100), Err(OverLimit));
    assert_eq!(ledger.reserve(A, u64::MAX, u64::MAX), Err(OverLimit), "a sum that wraps");
    assert_eq!((device.usage(), ledger.total()), ([60, 40, 0], 100));
    ledger.set(A, 59);
    assert_eq!(ledger.reserve(B, 1, 100), Ok(Balance { used: 41, total: 100 }));
}

#[test]
fn an_observed_charge_may_overshoot_and_then_everything_is_refused() {
    let device = Device::default();
    let ledger = device.ledger();
    ledger.set(A, 101);
    assert_eq!(ledger.total(), 101);
    assert_eq!(ledger.reserve(B, 0, 100), Err(OverLimit));
}

#[test]
fn a_death_before_any_write_leaves_either_the_old_usage_or_the_new() {
    for writes in 0..MANY_WRITES {
        for neighbour_goes_on in [false, true] {
            let device = Device::default();
            let ledger = device.ledger();
            ledger.set(B, 7);
            ledger.set(A, 10);
            let died = dying_before_write(writes, || ledger.reserve(A, 5, 100)).is_none();
            if neighbour_goes_on {
                ledger.set(B, 8);
            }
            device.assert_total_is_the_sum();
            let freed = ledger.recover(A);
            assert!(if died { freed == 10 || freed == 15 } else { freed == 15 }, "{freed} at {writes}");
            assert_eq!(device.usage(), [0, if neighbour_goes_on { 8 } else { 7 }, 0]);
            device.assert_total_is_the_sum();
        }
    }
}

#[test]
fn a_reaper_may_die_before_any_write_and_so_may_the_next_one() {
    for (victim, first, second) in deaths() {
        let device = Device::default();
        let ledger = device.ledger();
        ledger.set(B, 7);
        ledger.set(A, 10);
        dying_before_write(victim, || ledger.set(A, 3));
        dying_before_write(first, || ledger.recover(A));
        device.assert_total_is_the_sum();
        dying_before_write(second, || ledger.recover(A));
        ledger.set(C, 1);
        ledger.recover(A);
        assert_eq!(device.usage(), [0, 7, 1], "deaths at {victim}, {first}, {second}");
        device.assert_total_is_the_sum();
    }
}

fn deaths() -> impl Iterator<Item = (usize, usize, usize)> {
    let each = 0..MANY_WRITES;
    each.clone().flat_map(move |a| {
        let each = each.clone();
        each.clone().flat_map(move |b| each.clone().map(move |c| (a, b, c)))
    })
}

fn write_off(device: &Device, slot: SlotId, dead: SlotId) -> u64 {
    let ledger = device.ledger();
    ledger.write_off(slot, dead, ledger.holding(dead))
}

#[test]
fn a_dead_slots_usage_is_written_off_in_anothers_name_once() {
    let device = Device::default();
    let ledger = device.ledger();
    ledger.set(A, 10);
    ledger.set(C, 20);
    ledger.set(B, 7);
    let (a, c) = (ledger.holding(A), ledger.holding(C));
    assert_eq!(ledger.write_off(B, A, a), 10);
    assert_eq!((device.usage(), ledger.total()), ([0, 7, 20], 27));
    assert_eq!(ledger.write_off(B, A, a), 0, "it is known already");
    assert_eq!(ledger.write_off(B, C, c), 20, "a second one right after the first");
    assert_eq!((device.usage(), ledger.total()), ([0, 7, 0], 7));
    ledger.set(A, 3);
    assert_eq!(ledger.write_off(B, A, a), 0, "the slot's next owner is alive");
    assert_eq!((device.usage(), ledger.total()), ([3, 7, 0], 10));
}

#[test]
fn a_process_may_die_in_the_middle_of_writing_off_and_be_written_off_itself() {
    for (victim, first, second) in deaths() {
        let device = Device::default();
        let ledger = device.ledger();
        ledger.set(B, 7);
        ledger.set(A, 10);
        dying_before_write(victim, || ledger.set(A, 3));
        dying_before_write(first, || write_off(&device, B, A));
        device.assert_total_is_the_sum();
        dying_before_write(second, || {
            write_off(&device, C, A);
            write_off(&device, C, B)
        });
        device.assert_total_is_the_sum();
        write_off(&device, C, A);
        write_off(&device, C, B);
        assert_eq!(device.usage(), [0, 0, 0], "deaths at {victim}, {first}, {second}");
        device.assert_total_is_the_sum();
    }
}

#[test]
fn the_next_owner_of_a_slot_goes_on_from_zero() {
    let device = Device::default();
    let ledger = device.ledger();
    for round in 0..1000 {
        assert_eq!(ledger.used(A), 0);
        assert_eq!(ledger.reserve(A, round, 1000), Ok(Balance { used: round, total: round }));
        assert_eq!(ledger.recover(A), round);
    }
    assert_eq!(ledger.total(), 0);
}

/// Something that happens to a slot.
#[derive(Clone, Debug)]
enum Event {
    Reserve(u64),
    Set(u64),
    /// As above, but the process dies before the given write, and is cleared up after at once, later, or by reapers who die.
    Die(usize, u64),
    Recover,
    RecoverAndDie(usize),
    /// The slot's usage is written off by the next one's owner.
    WriteOff,
    WriteOffAndDie(usize),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0..200_u64).prop_map(Event::Reserve),
        (0..200_u64).prop_map(Event::Set),
        (0..MANY_WRITES, 0..200_u64).prop_map(|(writes, to)| Event::Die(writes, to)),
        Just(Event::Recover),
        (0..MANY_WRITES).prop_map(Event::RecoverAndDie),
        Just(Event::WriteOff),
        (0..MANY_WRITES).prop_map(Event::WriteOffAndDie),
    ]
}

proptest! {
    #[test]
    fn the_total_is_the_sum_through_any_history(events in prop::collection::vec((0..3_usize, event()), 0..60)) {
        let device = Device::default();
        let ledger = device.ledger();
        let mut dead = [false; 3];
        for (index, event) in events {
            let slot = SLOTS[index];
            // Only the living change their usage, and only the dead are cleared up after.
            match event {
                Event::Reserve(bytes) if !dead[index] => {
                    let fits = ledger.total() + bytes <= 300;
                    prop_assert_eq!(ledger.reserve(slot, bytes, 300).is_ok(), fits);
                }
                Event::Set(used) if !dead[index] => {
                    ledger.set(slot, used);
                }
                Event::Die(writes, used) if !dead[index] => {
                    dead[index] = dying_before_write(writes, || ledger.set(slot, used)).is_none();
                }
                Event::Recover if dead[index] => {
                    ledger.recover(slot);
                    prop_assert_eq!(ledger.used(slot), 0);
                    dead[index] = false;
                }
                Event::RecoverAndDie(writes) if dead[index] => {
                    dead[index] = dying_before_write(writes, || ledger.recover(slot)).is_none();
                }
                Event::WriteOff if dead[index] && !dead[(index + 1) % 3] => {
                    write_off(&device, SLOTS[(index + 1) % 3], slot);
                    prop_assert_eq!(ledger.used(slot), 0);
                    dead[index] = false;
                }
                Event::WriteOffAndDie(writes) if dead[index] && !dead[(index + 1) % 3] => {
                    let reaper = SLOTS[(index + 1) % 3];
                    dead[(index + 1) % 3] =
                        dying_before_write(writes, || write_off(&device, reaper, slot)).is_none();
                }
                _ => {}
            }
            prop_assert_eq!(ledger.total(), device.usage().iter().sum::<u64>());
        }
    }
}
