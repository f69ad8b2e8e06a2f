//! Parts about who inherits a lock and who loses it.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use contract::Bytes;

use super::parts::join;
use super::role::{NUMBER, Part, Role, say};
use super::{LIMIT, open};

pub(super) fn play(part: Part, path: &Path, number: u64) {
    match part {
        Part::ExecItself => exec_itself(path, number),
        Part::Heir => heir(path),
        _ => overlay(path),
    }
}

fn exec_itself(path: &Path, execs: u64) {
    let (member, device) = join(path);
    let verdict = member.reserve(device, LIMIT, LIMIT);
    if execs == 0 || verdict.is_err() {
        return say(&format!("{execs} left: {verdict:?}"));
    }
    let (program, arguments) = Role::command();
    let error = Command::new(program).args(arguments).env(NUMBER, (execs - 1).to_string()).exec();
    unreachable!("{error}");
}

fn heir(path: &Path) {
    let (member, device) = join(path);
    let region = open(path);
    let mut pipe = [0; 2];
    // SAFETY: `pipe` has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    // SAFETY: the child uses only what glibc allows after fork, and ends by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let member = region.join().unwrap();
        member.charge(device, LIMIT);
        // SAFETY: the grandchild only reads and ends.
        if unsafe { libc::fork() } == 0 {
            // SAFETY: only the first process may keep this end open, or the `read` would not return.
            unsafe { libc::close(pipe[1]) };
            let mut byte = 0_u8;
            // SAFETY: `byte` is live for the call, which waits for the first process to close the pipe.
            unsafe { libc::read(pipe[0], (&raw mut byte).cast(), 1) };
        }
        // SAFETY: ends without leaving, as if killed.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: the child is ours; no status is asked for.
    unsafe { libc::waitpid(child, core::ptr::null_mut(), 0) };
    let verdict = member.reserve_or_reap(device, LIMIT, LIMIT).map(|reaped| reaped.bytes);
    // The slot whose lock the grandchild may have is nobody's until then.
    let next = region.join().unwrap();
    next.charge(device, Bytes(1));
    assert_eq!(member.reap().unwrap().processes, 0);
    assert_eq!(member.total(device), Bytes(LIMIT.0 + 1));
    // SAFETY: ends the grandchild.
    unsafe { libc::close(pipe[1]) };
    say(&format!("{verdict:?}"));
}

/// The descriptors of the file at `path` that this process has.
fn descriptors(path: &Path) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap().map(Result::unwrap);
    let ours = entries.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|link| link == path));
    ours.map(|entry| entry.file_name().to_str().unwrap().parse().unwrap()).collect()
}

fn overlay(path: &Path) {
    let (member, device) = join(path);
    member.charge(device, Bytes(7));
    let kept = descriptors(path);
    // A child that dies is noticed.
    let region = open(path);
    // SAFETY: the child uses only what glibc allows after fork, and ends by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let member = region.join().unwrap();
        member.charge(device, Bytes(5));
        // SAFETY: ends without leaving, as if killed.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: the child is ours; no status is asked for.
    unsafe { libc::waitpid(child, core::ptr::null_mut(), 0) };
    assert_eq!(member.reap().unwrap().bytes, Bytes(5));
    // Closing the descriptor behind the region's back does not make this process seem dead.
    let other = region.join().unwrap();
    for descriptor in &kept {
        // SAFETY: that the region copes with this is the point.
        unsafe { libc::close(*descriptor) };
    }
    assert_eq!(other.reap().unwrap().processes, 0);
    assert_eq!(other.total(device), Bytes(7));
    core::mem::forget(member);
    say(if kept.iter().any(|&number| number >= 512) { "kept by a descriptor" } else { "kept by a mapping" });
}
