//! A forked child is another process: it holds nothing, changes nothing, and keeps nothing alive.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use contract::Bytes;
use shared_region::{LockFault, MemoryClass, Refusal, Refused};

use crate::support::{Directory, LIMIT, Part, Role, only_gpu, open, until};

/// Runs `work` in a forked child; what it returns as bytes, and whether the child ended well.
///
/// `work` must not rely on other threads: the child has only one.
fn in_child(work: impl FnOnce() -> Vec<u8>) -> (Vec<u8>, bool) {
    let (mut here, mut there) = UnixStream::pair().unwrap();
    // SAFETY: the child runs `work` on its only thread, allocates at most (glibc allows that after fork), and ends by _exit.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        drop(here);
        // A child that waits for a lock which another thread held does not wait for ever.
        // SAFETY: has no preconditions.
        unsafe { libc::alarm(60) };
        let result = std::panic::catch_unwind(core::panic::AssertUnwindSafe(work));
        let ended_well = result.is_ok_and(|bytes| there.write_all(&bytes).is_ok());
        // SAFETY: nothing of the parent's is to be cleaned up here.
        unsafe { libc::_exit(i32::from(!ended_well)) };
    }
    drop(there);
    let mut answer = Vec::new();
    here.read_to_end(&mut answer).unwrap();
    let mut status = 0;
    // SAFETY: `status` is live, and the child is ours and not waited for yet.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    (answer, waited == pid && status == 0)
}

#[test]
fn a_forked_child_is_no_member_and_changes_nothing() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let device = only_gpu();
    member.reserve(device, Bytes(40), LIMIT).unwrap();
    let (_, ended_well) = in_child(|| {
        assert!(!member.is_current());
        assert_eq!(member.reserve(device, Bytes(1), LIMIT), Err(Refused::NotAMember));
        assert_eq!(member.reserve_or_reap(device, Bytes(1), LIMIT), Err(Refused::NotAMember));
        member.charge(device, Bytes(1));
        member.refund(device, Bytes(40));
        member.refused(device, Refusal { class: MemoryClass::Linear, bytes: Bytes(1), at: 1 });
        assert!(member.compute(device).is_none());
        assert_eq!(member.own(device), Bytes::ZERO);
        assert!(matches!(member.reap().unwrap_err().fault, LockFault::NotAMember));
        assert_eq!(member.total(device), Bytes(40));
        Vec::new()
    });
    assert!(ended_well);
    assert!(member.is_current());
    assert_eq!((member.own(device), member.total(device)), (Bytes(40), Bytes(40)));
}

#[test]
fn a_forked_child_that_joins_has_a_slot_of_its_own() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let member = region.join().unwrap();
    let device = only_gpu();
    member.charge(device, Bytes(40));
    let (answer, ended_well) = in_child(|| {
        let mine = region.join().unwrap();
        assert_ne!(mine.slot(), member.slot());
        mine.charge(device, Bytes(2));
        assert_eq!((mine.own(device), mine.total(device)), (Bytes(2), Bytes(42)));
        let total = mine.total(device).0.to_ne_bytes().to_vec();
        core::mem::forget(mine);
        total
    });
    assert!(ended_well);
    assert_eq!(answer, 42_u64.to_ne_bytes());
    // The child is gone without leaving.
    assert_eq!(member.reap().unwrap().bytes, Bytes(2));
    assert_eq!(member.total(device), Bytes(40));
}

#[test]
fn a_forked_child_that_drops_what_it_inherited_ends_neither_the_parents_slot_nor_a_mapping() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let device = only_gpu();
    member.charge(device, Bytes(40));
    let mut inherited = Some(member);
    let (_, ended_well) = in_child(|| {
        drop(inherited.take());
        Vec::new()
    });
    assert!(ended_well);
    let member = inherited.take().unwrap();
    let other = open(&directory.region()).join().unwrap();
    assert_eq!(other.reap().unwrap().processes, 0);
    assert_eq!((member.own(device), other.total(device)), (Bytes(40), Bytes(40)));
}

#[test]
fn a_child_that_lives_on_does_not_keep_its_dead_parents_memory() {
    let directory = Directory::new();
    let member = open(&directory.region()).join().unwrap();
    let mut role = Role::start(Part::ForkAndHold, &directory.region(), 5).ready();
    assert_eq!(member.reap().unwrap().processes, 0);
    role.kill_only();
    until("the parent's memory is free", || member.reap().unwrap().bytes == Bytes(5));
    assert_eq!(member.total(only_gpu()), Bytes::ZERO);
    // Only now the child, which shares the parent's output, may end.
    drop(role);
}
