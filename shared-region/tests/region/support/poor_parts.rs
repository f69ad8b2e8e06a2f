//! Parts of processes that lack something: a user's rights, stack, descriptors.

use std::io::Read;
use std::path::Path;

use contract::Bytes;
use shared_region::Region;

use super::parts::{join, wait_for_the_end};
use super::role::{Part, say};
use super::{GPU, LIMIT, open};

/// The user `nobody`.
const ANOTHER_USER: libc::uid_t = 65_534;

pub(super) fn play(part: Part, path: &Path, number: u64) {
    match part {
        Part::HoldAsAnotherUser => hold_as_another_user(path, number),
        Part::BecomeAnotherUser => become_another_user(path, number),
        Part::SmallStack => small_stack(path, number),
        Part::NoDescriptor => no_descriptor(path),
        _ => match Region::open_shared(path) {
            Ok(_) => say("opened"),
            Err(error) => say(&error.to_string()),
        },
    }
}

fn change_user() {
    // SAFETY: has no preconditions; glibc changes all threads.
    assert_eq!(unsafe { libc::setuid(ANOTHER_USER) }, 0, "{}", std::io::Error::last_os_error());
}

fn hold_as_another_user(path: &Path, bytes: u64) {
    change_user();
    let region = match Region::open_shared(path) {
        Ok(region) => region,
        Err(error) => return say(&error.to_string()),
    };
    let member = region.join().unwrap();
    member.charge(region.device(GPU).unwrap(), Bytes(bytes));
    say("ready");
    wait_for_the_end();
    core::mem::forget(member);
}

fn become_another_user(path: &Path, bytes: u64) {
    let (member, device) = join(path);
    member.charge(device, Bytes(bytes));
    say("ready");
    let mut go = [0];
    std::io::stdin().read_exact(&mut go).unwrap();
    change_user();
    assert!(Region::open(path).is_err(), "the region is not another user's");
    say(&format!(
        "{:?}",
        member.reserve_or_reap(device, Bytes(LIMIT.0 - bytes), LIMIT).map(|reaped| reaped.bytes)
    ));
}

fn small_stack(path: &Path, bytes: u64) {
    let path = path.to_owned();
    let thread = std::thread::Builder::new().stack_size(libc::PTHREAD_STACK_MIN);
    let work = move || {
        let (member, device) = join(&path);
        member.reserve_or_reap(device, Bytes(bytes), LIMIT).unwrap();
        member.reap().unwrap();
    };
    thread.spawn(work).unwrap().join().unwrap();
    say("done");
}

fn no_descriptor(path: &Path) {
    let region = open(path);
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `none` is live for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const none) }, 0);
    say(&region.join().unwrap_err().to_string());
    say(&Region::open(path).unwrap_err().to_string());
}
