//! Readers from outside see what members do, and survive anything that is written in the file.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use contract::{Bytes, Uuid};
use policy::compute::{Nanos, Share};
use proptest::prelude::*;
use shared_region::layout::{HEADER_SIZE, SIZE};
use shared_region::snapshot::{ComputeUse, LastRefusal, RefusalCount, Snapshot, Usage};
use shared_region::{MemoryClass, OpenFault, Refusal, Region, SizeRange};

use crate::support::{Directory, GPU, LIMIT, Part, Role, open};

const OTHER_GPU: Uuid = Uuid([9; 16]);

#[test]
fn a_snapshot_shows_what_members_hold() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let [device, other] = [GPU, OTHER_GPU].map(|gpu| region.device(gpu).unwrap());
    let member = region.join().unwrap();
    member.reserve(device, Bytes(90), LIMIT).unwrap();
    member.refund(device, Bytes(40));
    member.charge(other, Bytes(3));
    member.note_overhead(other, Bytes(2));
    let refusal = Refusal { class: MemoryClass::Pool, bytes: Bytes(1000), at: 77 };
    member.refused(device, refusal);
    member.learn_context(device, Bytes(426));
    let second = region.join().unwrap();
    second.charge(device, Bytes(1));

    let snapshot = Snapshot::read(region.path()).unwrap();
    let devices = snapshot.devices.iter().map(|gpu| (gpu.index, gpu.uuid, gpu.total, gpu.learned_context));
    let expected = [(device, GPU, Bytes(51), Some(Bytes(426))), (other, OTHER_GPU, Bytes(3), None)];
    assert_eq!(devices.collect::<Vec<_>>(), expected);

    let [first, _] = &snapshot.processes[..] else { panic!("{:?}", snapshot.processes) };
    let mine = snapshot.processes.iter().find(|process| process.slot == member.slot()).unwrap();
    assert_eq!((mine.pid, mine.alive, mine.incarnation), (std::process::id(), true, 1));
    let last = LastRefusal { at: 77, bytes: Bytes(1000), class: Some(MemoryClass::Pool) };
    assert_eq!((mine.refused_bytes, mine.largest_refusal), (Bytes(1000), Bytes(1000)));
    assert_eq!((mine.last_refusal, mine.last_refused_device), (Some(last), Some(device)));
    assert_eq!(mine.pid_namespace, first.pid_namespace);
    let usage = |device, used, peak, overhead, refused| Usage {
        device,
        used: Bytes(used),
        peak: Bytes(peak),
        overhead: Bytes(overhead),
        refused,
        compute: ComputeUse::default(),
    };
    assert_eq!(mine.usage, [usage(device, 50, 90, 0, 1), usage(other, 3, 3, 2, 0)]);
}

#[test]
fn refusals_are_counted_by_class_and_size_and_outlive_the_process() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let request = |class, bytes| Refusal { class, bytes: Bytes(bytes), at: 5 };
    for _ in 0..2 {
        let member = region.join().unwrap();
        member.refused(device, request(MemoryClass::Managed, u64::MAX));
        member.refused(device, request(MemoryClass::Linear, 3 << 20));
        member.refused(device, request(MemoryClass::Linear, 1));
    }
    let snapshot = Snapshot::read(region.path()).unwrap();
    assert_eq!(snapshot.processes, []);
    let refusals = &snapshot.devices[0].refusals;
    let counted = |class, bytes| RefusalCount { class, size: SizeRange::of(Bytes(bytes)), count: 2 };
    let counts = [(MemoryClass::Linear, 1), (MemoryClass::Linear, 3 << 20), (MemoryClass::Managed, u64::MAX)];
    assert_eq!(refusals.counts, counts.map(|(class, bytes)| counted(class, bytes)));
    assert_eq!((refusals.total(), refusals.largest), (6, Bytes(u64::MAX)));
    let last = LastRefusal { at: 5, bytes: Bytes(1), class: Some(MemoryClass::Linear) };
    assert_eq!(refusals.last, Some(last));
}

#[test]
fn the_next_owner_of_a_slot_has_not_been_refused() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let first = region.join().unwrap();
    first.refused(device, Refusal { class: MemoryClass::Linear, bytes: Bytes(9), at: 5 });
    let slot = first.slot();
    drop(first);
    let next = region.join().unwrap();
    assert_eq!(next.slot(), slot);
    let snapshot = Snapshot::read(region.path()).unwrap();
    let process = &snapshot.processes[0];
    assert_eq!((process.refused_bytes, process.largest_refusal), (Bytes::ZERO, Bytes::ZERO));
    assert_eq!((process.last_refusal, process.last_refused_device), (None, None));
    assert_eq!(process.usage[0].refused, 0);
}

#[test]
fn the_peak_of_a_device_is_what_all_have_held_together() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let [one, other] = [(); 2].map(|()| region.join().unwrap());
    one.reserve(device, Bytes(60), LIMIT).unwrap();
    other.charge(device, Bytes(30));
    one.refund(device, Bytes(50));
    other.reserve(device, Bytes(49), LIMIT).unwrap();
    assert_eq!(region.total(device), Bytes(89));
    drop((one, other));
    assert_eq!(Snapshot::read(region.path()).unwrap().devices[0].peak, Bytes(90));
}

#[test]
fn a_region_that_has_lost_its_header_is_not_taken_for_one_without_processes() {
    let directory = Directory::new();
    let region = open(&directory.region());
    region.device(GPU).unwrap();
    let _member = region.join().unwrap();
    let file = File::options().write(true).open(region.path()).unwrap();
    // Without its magic number it looks like another program's, and without the rest like a new file.
    for end in [8, HEADER_SIZE] {
        file.write_all_at(&vec![0; end], 0).unwrap();
        let error = Snapshot::read(region.path()).unwrap_err();
        assert_eq!(error.path, region.path());
        assert!(matches!(error.fault, OpenFault::Foreign | OpenFault::Header), "{error}");
    }
}

#[test]
fn a_region_that_nobody_has_used_is_empty_and_a_missing_one_an_error() {
    let directory = Directory::new();
    let error = Snapshot::read(&directory.region()).unwrap_err();
    assert!(matches!(error.fault, OpenFault::Missing));
    fs::write(directory.region(), "").unwrap();
    assert_eq!(Snapshot::read(&directory.region()).unwrap(), Snapshot::default());
}

#[test]
fn totals_in_snapshots_are_within_the_limit_while_processes_race() {
    let directory = Directory::new();
    drop(open(&directory.region()));
    let _roles = [1, 2, 3].map(|seed| Role::start(Part::RaceBeyondLimit, &directory.region(), seed).ready());
    for _ in 0..500 {
        let snapshot = Snapshot::read(&directory.region()).unwrap();
        assert_eq!(snapshot.processes.len(), 3);
        assert!(snapshot.devices[0].adds_up(), "{snapshot:?}");
        for process in snapshot.processes {
            assert!(process.usage[0].used <= LIMIT, "{process:?}");
            assert!(process.usage[0].peak <= LIMIT, "{process:?}");
        }
    }
}

/// The bytes of a region with two GPUs and a member that has been killed.
fn used_region() -> Vec<u8> {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    region.device(OTHER_GPU).unwrap();
    let member = region.join().unwrap();
    member.charge(device, Bytes(5));
    fs::read(region.path()).unwrap()
}

/// Does everything that a member can do, whatever the region says.
fn take_part(path: &Path) {
    let Ok(region) = Region::open(path) else { return };
    let Ok(device) = region.device(GPU) else { return };
    let Ok(member) = region.join() else { return };
    let _ = member.reserve_or_reap(device, Bytes(1), LIMIT);
    member.charge(device, Bytes(u64::MAX));
    member.refund(device, Bytes(1));
    let _ = (member.own(device), member.total(device), member.learned_context(device));
    let compute = member.compute(device).unwrap();
    let share = Share::from_percent(30).unwrap();
    let _ = compute.finish.reserve(Nanos(1), share, Nanos(1));
    compute.finish.correct(Nanos(u64::MAX), share, i64::MIN);
    let _ = compute.gate.pass(Nanos(1));
    compute.stats.begin_wait();
    compute.stats.end_wait(Nanos(u64::MAX));
    compute.trim.take_turn(Nanos(1), Nanos(1));
    compute.trim.meter(compute.trim.trim().apply(Nanos(u64::MAX)));
    let _ = member.reap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rubbish_in_the_file_harms_no_reader_and_no_member(
        words in prop::collection::vec((0..SIZE / 8, prop_oneof![any::<u64>(), Just(u64::MAX), 0..3_u64]), 0..40),
        front in prop::collection::vec((HEADER_SIZE / 8..20_000_usize, any::<u64>()), 0..200),
        length in prop_oneof![4 => Just(SIZE), 1 => 0..SIZE],
    ) {
        let directory = Directory::new();
        let mut bytes = used_region();
        for (word, value) in words.into_iter().chain(front) {
            bytes[word * 8..][..8].copy_from_slice(&value.to_ne_bytes());
        }
        bytes.truncate(length);
        fs::write(directory.region(), bytes).unwrap();
        if let Ok(snapshot) = Snapshot::read(&directory.region()) {
            prop_assert!(snapshot.devices.len() <= 64 && snapshot.processes.len() <= 1024);
        }
        take_part(&directory.region());
    }
}
