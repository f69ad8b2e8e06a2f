//! Readers from outside see what members do, and survive anything that is written in the file.

use std::fs;
use std::path::Path;

use contract::{Bytes, Uuid};
use proptest::prelude::*;
use shared_region::layout::{HEADER_SIZE, SIZE};
use shared_region::snapshot::{Snapshot, Usage};
use shared_region::{OpenFault, Region};

use crate::support::{Directory, GPU, LIMIT, Part, Role, only_gpu, open};

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
    member.refused(device, Bytes(1000), 77);
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
    assert_eq!((mine.refused_bytes, mine.last_refusal), (Bytes(1000), Some(77)));
    assert_eq!(mine.pid_namespace, first.pid_namespace);
    let usage = |device, used, peak, overhead, refused| Usage {
        device,
        used: Bytes(used),
        peak: Bytes(peak),
        overhead: Bytes(overhead),
        refused,
    };
    assert_eq!(mine.usage, [usage(device, 50, 90, 0, 1), usage(other, 3, 3, 2, 0)]);
}

#[test]
fn refusals_outlive_the_process_that_was_refused() {
    let directory = Directory::new();
    let region = open(&directory.region());
    for _ in 0..2 {
        let member = region.join().unwrap();
        region.device(GPU).unwrap();
        member.refused(only_gpu(), Bytes(1), 1);
    }
    let snapshot = Snapshot::read(region.path()).unwrap();
    assert_eq!(snapshot.devices[0].departed_refusals, 2);
    assert_eq!(snapshot.processes, []);
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
