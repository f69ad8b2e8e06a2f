//! Compute time: shared by the processes of a slice, seen from outside, and whole after any death.

use contract::Uuid;
use policy::compute::finish::{BURST, Finish};
use policy::compute::trim::Trim;
use policy::compute::{Nanos, Share};
use shared_region::Region;
use shared_region::snapshot::{Activity, ComputeUse, Correction, ProcessSnapshot, Snapshot};

use crate::support::{Directory, GPU, Part, Role, open};

const SHARE: Share = Share::from_percent(30).unwrap();

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
    compute.stats.note_share(SHARE);
    compute.stats.launched(64, Nanos(2_000));
    compute.stats.launched(1, Nanos(1_000));
    compute.stats.used(Nanos(70));
    compute.stats.begin_wait();
    compute.stats.begin_wait();
    compute.stats.end_wait(Nanos(50));
    let trim = Trim::from_bits(900_000);
    let elsewhere = member.compute(other).unwrap();
    elsewhere.trim.set_trim(trim);
    elsewhere.trim.note_source(false);

    let used = ComputeUse {
        launches: 65,
        waited: Nanos(50),
        busy: Nanos(70),
        waiting: 1,
        share: Some(SHARE),
        last_launch: Some(Nanos(2_000)),
    };
    let process = only_process(&region);
    assert_eq!([&process.usage[0].compute, &process.usage[1].compute], [&used, &ComputeUse::default()]);
    let snapshot = Snapshot::read(region.path()).unwrap();
    let corrections = snapshot.devices.iter().map(|device| device.correction).collect::<Vec<_>>();
    let corrected = Correction { trim, has_source: Some(false) };
    assert_eq!(corrections, [Correction::default(), corrected]);
}

#[test]
fn members_share_the_finish_word_and_the_gate_of_a_device() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let [device, other] = [GPU, Uuid([9; 16])].map(|gpu| region.device(gpu).unwrap());
    let members = [(); 2].map(|()| open(&directory.region()).join().unwrap());
    let now = Nanos::from_secs(9);
    let starts = members.each_ref().map(|member| {
        let finish = member.compute(device).unwrap().finish;
        finish.reserve(now, SHARE, Nanos::from_secs(3)).start
    });
    assert_eq!(starts[0], now);
    // The first has used up what the device is worth while it is idle, and the second waits until that is paid.
    let expected = now.0 + Nanos::from_secs(10).0 - BURST.0;
    assert!(starts[1].0.abs_diff(expected) <= 16, "{starts:?}");
    assert_eq!(members[0].compute(other).unwrap().finish.load(), Finish::NONE);
    let passes = members.each_ref().map(|member| member.compute(device).unwrap().gate.pass(now).is_ok());
    assert_eq!(passes, [true, false]);
}

#[test]
fn what_all_members_have_used_of_a_device_is_told_together() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let [device, other] = [GPU, Uuid([9; 16])].map(|gpu| region.device(gpu).unwrap());
    let members = [(); 2].map(|()| open(&directory.region()).join().unwrap());
    for (member, used) in members.iter().zip([30, 12]) {
        member.compute(device).unwrap().trim.meter(Nanos(used));
    }
    assert_eq!((region.busy(device), region.busy(other)), (Nanos(42), Nanos(0)));
    drop(members);
    let _in_the_slot_of_one = region.join().unwrap();
    assert_eq!(region.busy(device), Nanos(42));
}

#[test]
fn a_process_killed_while_it_waits_waits_no_more_and_leaves_what_it_was_granted() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let role = Role::start(Part::WaitForTurn, &directory.region(), 9).ready();
    let waiting = only_process(&region).usage[0].compute;
    assert_eq!((waiting.launches, waiting.waiting, waiting.last_launch), (9, 1, Some(Nanos(7))));
    role.kill();
    let dead = only_process(&region);
    assert!(!dead.alive);
    assert_eq!((dead.usage[0].compute.launches, dead.usage[0].compute.waiting), (9, 0));

    let next = region.join().unwrap();
    assert_eq!(next.compute(device).unwrap().finish.load().share(), Some(SHARE));
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
    stats.launched(3, Nanos(5));
    stats.begin_wait();
    stats.note_share(SHARE);
    stats.used(Nanos(7));
    let slot = first.slot();
    drop(first);
    let next = region.join().unwrap();
    assert_eq!(next.slot(), slot);
    assert_eq!(only_process(&region).usage[0].compute, ComputeUse::default());
}

#[test]
fn activity_is_what_processes_do_and_the_dead_do_nothing() {
    let directory = Directory::new();
    assert!(Activity::read(&directory.region()).is_err());
    let region = open(&directory.region());
    assert_eq!(Activity::read(region.path()).unwrap(), Activity::default());
    let [_, device] = [Uuid([9; 16]), GPU].map(|gpu| region.device(gpu).unwrap());
    let member = region.join().unwrap();
    member.compute(device).unwrap().stats.used(Nanos(70));
    let role = Role::start(Part::WaitForTurn, &directory.region(), 3).ready();

    let activity = Activity::read(region.path()).unwrap();
    assert_eq!(activity.devices, [Uuid([9; 16]), GPU]);
    let used = |activity: &Activity| {
        let mut uses: Vec<_> = activity
            .processes
            .iter()
            .map(|process| (process.uses[1].busy, process.uses[1].waiting))
            .collect();
        uses.sort_unstable();
        uses
    };
    assert_eq!(used(&activity), [(Nanos(0), 1), (Nanos(70), 0)]);
    role.kill();
    let after = Activity::read(region.path()).unwrap();
    assert_eq!(used(&after), [(Nanos(0), 0), (Nanos(70), 0)], "the dead wait no more");
    member.reap().unwrap();
    assert_eq!(used(&Activity::read(region.path()).unwrap()), [(Nanos(70), 0)]);
}
