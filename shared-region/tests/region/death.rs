//! What a process holds when it dies is free for whoever needs it, however it died and wherever it lived.

use crate::support::{Directory, LIMIT, Part, Role, only_gpu, open, skip, until};
use contract::Bytes;
use shared_region::snapshot::Snapshot;
use shared_region::{Member, Refused};

/// Whether `member` can have the whole limit at this moment, after clearing up.
fn everything_is_free(member: &Member) -> bool {
    let device = only_gpu();
    let granted = member.reserve_or_reap(device, LIMIT, LIMIT).map(drop);
    if granted.is_ok() {
        member.refund(device, LIMIT);
    } else {
        assert_eq!(granted, Err(Refused::Total));
    }
    granted.is_ok()
}

#[test]
fn a_killed_process_is_no_reason_to_refuse() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let device = only_gpu();
    for round in 0..20 {
        let role = Role::start(Part::Hold, &directory.region(), LIMIT.0).ready();
        assert_eq!(member.reserve(device, Bytes(1), LIMIT), Err(Refused::Total));
        assert_eq!(member.reserve_or_reap(device, Bytes(1), LIMIT), Err(Refused::Total), "it is alive");
        role.kill();
        assert_eq!(member.total(device), LIMIT, "nobody has cleared up yet");
        let reaped = member.reserve_or_reap(device, Bytes(1), LIMIT).unwrap();
        assert_eq!((reaped.processes, reaped.bytes), (1, LIMIT), "round {round}");
        member.refund(device, Bytes(1));
    }
    assert_eq!(member.total(device), Bytes::ZERO);
}

#[test]
fn a_process_that_ends_without_leaving_is_cleared_up_after() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let role = Role::start(Part::Hold, &directory.region(), 5).ready();
    assert!(!everything_is_free(&member));
    assert!(role.finish().0.success());
    let reaped = member.reap().unwrap();
    assert_eq!((reaped.processes, reaped.bytes), (1, Bytes(5)));
    assert!(everything_is_free(&member));
}

#[test]
fn a_zombie_is_dead() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let mut role = Role::start(Part::Hold, &directory.region(), 5).ready();
    assert!(!everything_is_free(&member));
    role.kill_only();
    until("a zombie's memory is free", || everything_is_free(&member));
}

#[test]
fn a_process_whose_main_thread_is_not_the_one_that_joined_is_alive() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let role = Role::start(Part::HoldWithoutMain, &directory.region(), 5).ready();
    assert!(!everything_is_free(&member));
    role.kill();
    assert!(everything_is_free(&member));
}

#[test]
fn a_process_that_replaces_itself_by_another_program_holds_nothing_any_more() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let mut role = Role::start(Part::Exec, &directory.region(), 5).ready();
    assert!(!everything_is_free(&member));
    role.send(b"x");
    until("the memory of a process that has called exec is free", || everything_is_free(&member));
    assert!(role.is_running());
}

#[test]
fn an_application_that_closes_all_descriptors_keeps_its_memory() {
    for directory in [Directory::new(), Directory::on_disk()] {
        let member = open(&directory.region()).join().unwrap();
        let role = Role::start(Part::CloseAll, &directory.region(), 5).ready();
        assert!(!everything_is_free(&member), "{}", directory.path().display());
        role.kill();
        assert!(everything_is_free(&member));
    }
}

#[test]
fn processes_in_other_pid_namespaces_are_told_apart() {
    const TEST: &str = "processes_in_other_pid_namespaces_are_told_apart";
    const NEW_NAMESPACE: [&str; 4] = ["unshare", "--pid", "--fork", "--kill-child"];
    let permitted = std::process::Command::new("unshare").args(["--pid", "--fork", "true"]).status();
    if !permitted.is_ok_and(|status| status.success()) {
        return skip(TEST, "cannot make a PID namespace");
    }
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let device = only_gpu();
    let [first, second] =
        [5, 70].map(|bytes| Role::start_in(&NEW_NAMESPACE, Part::Hold, &directory.region(), bytes).ready());
    let pids: Vec<_> =
        processes(&directory).into_iter().map(|process| process.0).filter(|&pid| pid == 1).collect();
    assert_eq!(pids.len(), 2, "both are process 1 of their namespace");
    first.kill();
    until("the dead one's memory is free", || {
        member.reap().unwrap();
        member.total(device) == Bytes(70)
    });
    for _ in 0..10 {
        assert_eq!(member.reap().unwrap().processes, 0, "the other one is alive");
    }
    second.kill();
    until("the other one's memory is free", || everything_is_free(&member));
}

/// Process id and liveness of each slot in use.
fn processes(directory: &Directory) -> Vec<(u32, bool)> {
    let snapshot = Snapshot::read(&directory.region()).unwrap();
    snapshot.processes.iter().map(|process| (process.pid, process.alive)).collect()
}

#[test]
fn a_snapshot_says_who_is_alive() {
    let directory = Directory::new();
    let role = Role::start(Part::Hold, &directory.region(), 5).ready();
    let pid = role.pid();
    assert_eq!(processes(&directory), [(pid, true)]);
    role.kill();
    assert_eq!(processes(&directory), [(pid, false)]);
}

#[test]
fn the_slot_of_a_dead_process_is_cleared_by_the_next_that_takes_it() {
    let directory = Directory::new();
    let region = open(&directory.region());
    Role::start(Part::Hold, &directory.region(), 5).ready().kill();
    // All others are taken, so that one must be taken over.
    let members: Vec<_> = (0..1024).map(|_| region.join().unwrap()).collect();
    assert_eq!(members[0].total(only_gpu()), Bytes::ZERO);
    let error = region.join().unwrap_err().to_string();
    assert!(error.contains("1024 processes share this region already"), "{error}");
}

#[test]
fn hot_paths_make_no_system_calls() {
    let directory = Directory::new();
    let mut role = Role::start(Part::WithoutSystemCalls, &directory.region(), 0);
    match role.says().as_deref() {
        Some("done") => {}
        Some("not permitted") => skip("hot_paths_make_no_system_calls", "cannot enter strict mode"),
        other => panic!("killed by the first system call, or wrong: {other:?}"),
    }
}
