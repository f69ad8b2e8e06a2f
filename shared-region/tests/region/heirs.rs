//! Locks that outlive their owner, and slots that are being taken while their memory is needed.

use contract::Bytes;
use shared_region::layout::lock_bytes;
use shared_region::snapshot::Snapshot;
use shared_region::{Member, Refused, SlotId};

use crate::support::{Directory, LIMIT, Part, Role, lock_byte, only_gpu, open};

/// The only member's slot.
fn only_slot(directory: &Directory) -> SlotId {
    Snapshot::read(&directory.region()).unwrap().processes[0].slot
}

/// A member beside a process that held the whole limit and is dead, and that process's slot.
fn member_beside_the_dead(directory: &Directory) -> (Member, SlotId) {
    let role = Role::start(Part::Hold, &directory.region(), LIMIT.0).ready();
    let slot = only_slot(directory);
    let member = open(&directory.region()).join().unwrap();
    assert_eq!(member.reserve_or_reap(only_gpu(), LIMIT, LIMIT), Err(Refused::Total), "it is alive");
    role.kill();
    (member, slot)
}

#[test]
fn a_process_stopped_while_it_takes_a_dead_ones_slot_costs_nobody_memory() {
    let directory = Directory::new();
    let (member, slot) = member_beside_the_dead(&directory);
    let _stopped = lock_byte(&directory.region(), lock_bytes::claim(slot));
    assert_eq!(member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).unwrap().bytes, LIMIT);
}

#[test]
fn a_child_forked_while_its_parent_joined_does_not_keep_the_dead_parents_memory() {
    let directory = Directory::new();
    let (member, slot) = member_beside_the_dead(&directory);
    // As the child's copy of the descriptor would.
    let child = lock_byte(&directory.region(), lock_bytes::life(slot));
    assert_eq!(member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).unwrap().bytes, LIMIT);
    // While the lock is there, nobody could see the death of a next owner of the slot.
    let members: Vec<_> = (0..1022).map(|_| join_one_of_the_last(&directory)).collect();
    assert!(members.iter().all(|member| member.slot() != slot));
    assert!(open(&directory.region()).join().is_err());
    drop(child);
    assert_eq!(join_one_of_the_last(&directory).slot(), slot);
}

/// Joins a region that has few slots left. A child that another test is starting has, until it calls `exec`, copies of this
/// process's descriptors, and with them the lock on the slot that is being taken here: it passes for taken meanwhile.
fn join_one_of_the_last(directory: &Directory) -> Member {
    for _ in 0..1000 {
        if let Ok(member) = open(&directory.region()).join() {
            return member;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no slot in ten seconds")
}

#[test]
fn reapers_that_are_stopped_anywhere_keep_no_memory_from_others() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let reapers = [(); 2].map(|()| Role::start(Part::ReapForEver, &directory.region(), 0).ready());
    for round in 0..20 {
        let role = Role::start(Part::Hold, &directory.region(), LIMIT.0).ready();
        role.kill();
        reapers.iter().for_each(|reaper| reaper.signal(libc::SIGSTOP));
        let verdict = member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).map(drop);
        assert_eq!(verdict, Ok(()), "round {round}");
        member.refund(only_gpu(), LIMIT);
        reapers.iter().for_each(|reaper| reaper.signal(libc::SIGCONT));
    }
    assert_eq!(member.total(only_gpu()), Bytes::ZERO);
}

#[test]
fn what_a_dying_process_holds_is_not_free_before_it_has_closed_its_descriptors() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    for _ in 0..20 {
        let mut role = Role::start(Part::Hold, &directory.region(), LIMIT.0).ready();
        role.kill_only();
        // Without a pause, since the moment in question is short.
        while member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).is_err() {
            std::thread::yield_now();
        }
        // A zombie has closed them.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", role.pid())).unwrap();
        assert!(stat.contains(") Z "), "{stat}");
        member.refund(only_gpu(), LIMIT);
    }
}

#[test]
fn a_process_that_execs_itself_is_not_refused_its_own_memory() {
    let directory = Directory::new();
    let (status, said) = Role::start(Part::ExecItself, &directory.region(), 3).finish();
    assert!(status.success());
    assert_eq!(said.as_deref(), Some("0 left: Ok(())"));
}
