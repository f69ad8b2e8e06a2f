//! Several users in one container.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use contract::Bytes;

use crate::support::{Directory, LIMIT, Part, Role, only_gpu, open, skip};

/// Whether this test may become another user.
fn is_root() -> bool {
    // SAFETY: has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

#[test]
fn a_new_region_has_its_mode_whatever_the_umask() {
    for (part, mode) in [(Part::Open, 0o600), (Part::OpenShared, 0o666)] {
        for umask in ["000", "022", "777"] {
            let directory = Directory::new();
            let script = format!("umask {umask} && exec \"$@\"");
            let wrapper = ["sh", "-c", &script, "sh"];
            let (_, said) = Role::start_in(&wrapper, part, &directory.region(), 0).finish();
            assert_eq!(said.as_deref(), Some("opened"));
            let permissions = fs::metadata(directory.region()).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, mode, "umask {umask}");
        }
    }
}

#[test]
fn a_second_user_shares_the_region_of_the_first() {
    if !is_root() {
        return skip("a_second_user_shares_the_region_of_the_first", "cannot become another user");
    }
    let directory = Directory::new();
    let region = shared_region::Region::open_shared(&directory.region()).unwrap();
    let member = region.join().unwrap();
    let role = Role::start(Part::HoldAsAnotherUser, &directory.region(), LIMIT.0).ready();
    assert!(member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).is_err());
    role.kill();
    assert_eq!(member.reserve_or_reap(only_gpu(), LIMIT, LIMIT).unwrap().bytes, LIMIT);
}

#[test]
fn a_process_that_has_become_another_user_still_clears_up_after_the_dead() {
    if !is_root() {
        return skip("a_process_that_has_become_another_user…", "cannot become another user");
    }
    clears_up_without_the_file(|_| {});
}

#[test]
fn a_process_whose_file_was_removed_still_clears_up_after_the_dead() {
    if !is_root() {
        return skip("a_process_whose_file_was_removed…", "cannot become another user");
    }
    clears_up_without_the_file(|path| fs::remove_file(path).unwrap());
}

fn clears_up_without_the_file(change: impl Fn(&Path)) {
    let directory = Directory::new();
    drop(open(&directory.region()));
    let half = LIMIT.0 / 2;
    let mut role = Role::start(Part::BecomeAnotherUser, &directory.region(), half).ready();
    Role::start(Part::Hold, &directory.region(), half).ready().kill();
    change(&directory.region());
    role.send(b"x");
    assert_eq!(role.says(), Some(format!("{:?}", Ok::<_, ()>(Bytes(half)))));
}
