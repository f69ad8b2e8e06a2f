//! What the kernel says about a process.

use rustix::fs::{Mode, OFlags, open};

/// Enough for `/proc/<pid>/stat` up to the fields that are read.
const BUFFER: usize = 512;

/// `PF_EXITING` in the kernel's flags of a task: it is on its way out, set before it gives up its memory and its descriptors.
const EXITING: u64 = 4;

/// What is read from `/proc/<pid>/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// The process id as this `/proc` has it.
    pub(super) pid: u32,
    /// Whether the first thread is a zombie: gone, but not yet waited for.
    is_zombie: bool,
    /// Whether the first thread is ending.
    pub(super) is_exiting: bool,
    /// Threads that have not closed their descriptors yet, and the first one in any case.
    pub(super) threads: u64,
    /// When the process started, in clock ticks since boot.
    pub(super) started: u64,
}

impl Status {
    /// `None` when there is no such process or no `/proc`.
    pub(super) fn of(process: &str) -> Option<Self> {
        let path = format!("/proc/{process}/stat");
        let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut buffer = [0; BUFFER];
        let length = rustix::io::read(&file, &mut buffer).ok()?;
        Self::parse(buffer.get(..length)?)
    }

    /// Whether nothing is left but what the parent is to be told. The first thread may end before the others.
    pub(super) const fn has_ended(&self) -> bool {
        self.is_zombie && self.threads <= 1
    }

    /// Fields 1, 3, 9, 20 and 22 of proc_pid_stat(5). The name in field 2 may contain anything, also parentheses.
    fn parse(text: &[u8]) -> Option<Self> {
        let before_name = text.iter().position(|&byte| byte == b' ')?;
        let after_name = text.iter().rposition(|&byte| byte == b')')? + 1;
        let pid = core::str::from_utf8(text.get(..before_name)?).ok()?.parse().ok()?;
        let mut fields = core::str::from_utf8(text.get(after_name..)?).ok()?.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X" | "x");
        let flags: u64 = fields.nth(5)?.parse().ok()?;
        let threads = fields.nth(10)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        Some(Self { pid, is_zombie, is_exiting: is_zombie || flags & EXITING != 0, threads, started })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `7 (…) <state> <ppid pgrp session tty tpgid> <flags> <9 fields, priority, nice> <threads> <itrealvalue> 4242 …`
    fn stat(state: &str, flags: u64, threads: u64) -> String {
        format!("7 (a) Z 1 2) {state} 1 2 3 4 5 {flags} 1 2 3 4 5 6 7 8 9 10 {threads} 0 4242 20 21")
    }

    fn status(state: &str, flags: u64, threads: u64) -> Status {
        Status::parse(stat(state, flags, threads).as_bytes()).unwrap()
    }

    #[test]
    fn a_name_cannot_forge_the_fields() {
        let expected = Status { pid: 7, is_zombie: false, is_exiting: false, threads: 3, started: 4242 };
        assert_eq!(status("S", 0x0040_0000, 3), expected);
        assert_eq!(Status::parse(b"7 (a) S 1 2"), None);
        assert_eq!(Status::parse(b""), None);
    }

    #[test]
    fn a_process_that_has_lost_its_memory_but_not_its_descriptors_has_not_ended() {
        let exiting = status("R", 0x0040_0004, 1);
        assert!(exiting.is_exiting && !exiting.has_ended());
        let first_thread_gone = status("Z", 0x0040_0004, 2);
        assert!(first_thread_gone.is_exiting && !first_thread_gone.has_ended());
        assert!(status("Z", 0x0040_0004, 1).has_ended());
        assert!(status("X", 0x0040_0004, 0).has_ended());
    }

    #[test]
    fn the_kernels_fields_are_where_they_are_expected() {
        let status = Status::of("self").unwrap();
        assert_eq!(status.pid, std::process::id());
        assert!(status.threads >= 1 && status.started > 0 && !status.is_exiting);
    }
}
