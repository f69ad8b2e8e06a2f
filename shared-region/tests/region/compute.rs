//! Compute time: shared by the processes of a slice, seen from outside, and whole after any death.

use contract::Uuid;
use shared_region::Region;
use shared_region::compute::NEUTRAL;
use shared_region::snapshot::{ComputeUse, Correction, ProcessSnapshot, Snapshot};

use crate::support::{Directory, GPU, Part, Role, open};

fn only_process(region: &Region) -> ProcessSnapshot {
    let mut processes = Snapshot::read(region.path()).unwrap().processes;
    assert_eq!(processes.len(), 1);
    processes.remove(0)
}

#[test]
fn a_snapshot_shows_what_processes_do_with_a_gpus_time() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let [device, other] = [GPU, Uuid([9; 16])].map(|gpu| region.device(gpu).unwrap());
    let member = region.join().unwrap();
    let compute = member.compute(device).unwrap();
    compute.stats.note_share(300);
    compute.stats.launched(64, 2_000);
    compute.stats.launched(1, 1_000);
    compute.stats.used(70);
    compute.stats.begin_wait();
    compute.stats.begin_wait();
    compute.stats.end_wait(50);
    let elsewhere = member.compute(other).unwrap();
    elsewhere.trim.set_kappa(900_000);
    elsewhere.trim.note_source(false);

    let used = ComputeUse {
        launches: 65,
        waited: 50,
        busy: 70,
        waiting: 1,
        share: Some(300),
        last_launch: Some(2_000),
    };
    let process = only_process(&region);
    assert_eq!([&process.usage[0].compute, &process.usage[1].compute], [&used, &ComputeUse::default()]);
    let snapshot = Snapshot::read(region.path()).unwrap();
    let corrections = snapshot.devices.iter().map(|device| device.correction).collect::<Vec<_>>();
    let corrected = Correction { kappa: 900_000, has_source: Some(false) };
    assert_eq!(corrections, [Correction { kappa: NEUTRAL, has_source: None }, corrected]);
}

#[test]
fn members_share_the_finish_word_of_a_device() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let [device, other] = [GPU, Uuid([9; 16])].map(|gpu| region.device(gpu).unwrap());
    let members = [(); 2].map(|()| open(&directory.region()).join().unwrap());
    for member in &members {
        member.compute(device).unwrap().finish.update(|word| (word + 5, ()));
    }
    assert_eq!(members[0].compute(device).unwrap().finish.load(), 10);
    assert_eq!(members[0].compute(other).unwrap().finish.load(), 0);
}

#[test]
fn a_process_killed_while_it_waits_waits_no_more_and_leaves_what_it_was_granted() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let role = Role::start(Part::WaitForTurn, &directory.region(), 9).ready();
    let waiting = only_process(&region).usage[0].compute;
    assert_eq!((waiting.launches, waiting.waiting, waiting.last_launch), (9, 1, Some(7)));
    role.kill();
    let dead = only_process(&region);
    assert!(!dead.alive);
    assert_eq!((dead.usage[0].compute.launches, dead.usage[0].compute.waiting), (9, 0));

    let next = region.join().unwrap();
    assert_eq!(next.compute(device).unwrap().finish.load(), 100);
    next.reap().unwrap();
    assert_eq!(only_process(&region).usage[0].compute, ComputeUse::default());
}

#[test]
fn the_next_owner_of_a_slot_has_launched_nothing() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let first = region.join().unwrap();
    let stats = first.compute(device).unwrap().stats;
    stats.launched(3, 5);
    stats.begin_wait();
    stats.note_share(5);
    stats.used(7);
    let slot = first.slot();
    drop(first);
    let next = region.join().unwrap();
    assert_eq!(next.slot(), slot);
    assert_eq!(only_process(&region).usage[0].compute, ComputeUse::default());
}
