//! What the kernel writes into the files of `/proc/<pid>`. Who reads them hands in their text.

use core::str::from_utf8;

/// `PF_EXITING` in the kernel's flags of a task: it is on its way out, set before it gives up its memory and its descriptors.
const EXITING: u64 = 4;

/// What `/proc/<pid>/stat` says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The process id as this `/proc` has it.
    pub pid: u32,
    /// Whether the first thread is a zombie: gone, but not yet waited for. It may end before the others.
    pub is_zombie: bool,
    /// Whether the first thread is ending, or has ended.
    pub is_exiting: bool,
    /// Threads that have not closed their descriptors yet, and the first one in any case.
    pub threads: u64,
    /// When the process started, in clock ticks since boot: the same in every PID namespace.
    pub started: u64,
}

impl Stat {
    /// Fields 1, 3, 9, 20 and 22 of proc_pid_stat(5), of a text that has at least the beginning of field 23, so that none of
    /// them is cut. The name in field 2 may contain anything, also parentheses and what is not UTF-8.
    ///
    /// Allocates nothing.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let before_name = text.iter().position(|&byte| byte == b' ')?;
        let after_name = text.iter().rposition(|&byte| byte == b')')? + 1;
        let pid = from_utf8(text.get(..before_name)?).ok()?.parse().ok()?;
        let mut fields = from_utf8(text.get(after_name..)?).ok()?.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X" | "x");
        let flags: u64 = fields.nth(5)?.parse().ok()?;
        let threads = fields.nth(10)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        fields.next()?;
        Some(Self { pid, is_zombie, is_exiting: is_zombie || flags & EXITING != 0, threads, started })
    }

    /// Whether nothing is left but what the parent is to be told.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.is_zombie && self.threads <= 1
    }
}

/// A process's id in its own PID namespace, of the text of `/proc/<pid>/status`: the last of the line `NSpid` (Linux 4.1).
#[must_use]
pub fn innermost_pid(status: &[u8]) -> Option<u32> {
    let ids = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"NSpid:"))?;
    from_utf8(ids).ok()?.split_ascii_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<pid> (<name>) <state> <ppid pgrp session tty tpgid> <flags> <9 fields, priority, nice> <threads> <itrealvalue> 4242 …`
    fn text(name: &[u8], state: &str, flags: u64, threads: u64) -> Vec<u8> {
        let rest = format!(") {state} 1 2 3 4 5 {flags} 1 2 3 4 5 6 7 8 9 10 {threads} 0 4242 20 21");
        [b"7 (", name, rest.as_bytes()].concat()
    }

    fn stat(state: &str, flags: u64, threads: u64) -> Stat {
        Stat::parse(&text(b"a", state, flags, threads)).expect("a stat")
    }

    #[test]
    fn a_name_cannot_forge_the_fields() {
        let expected = Stat { pid: 7, is_zombie: false, is_exiting: false, threads: 3, started: 4242 };
        for name in [&b"a"[..], b"a) Z 1 2", b"", b") ) )", b"a b\nc", b"\xff\xfe)", b"Z 1"] {
            assert_eq!(Stat::parse(&text(name, "S", 0x0040_0000, 3)), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn a_text_that_is_cut_or_none_says_nothing() {
        let whole = text(b"a", "S", 0, 1);
        let least = whole.len() - "0 21".len();
        for length in 0..whole.len() {
            assert_eq!(Stat::parse(&whole[..length]).is_some(), length >= least, "{length}");
        }
        for text in
            ["7", "7 a S 1 2", "x (a) S", "-7 (a) S 1 2 3 4 5 0 1 2 3 4 5 6 7 8 9 10 1 0 4242 20", ")("]
        {
            assert_eq!(Stat::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_process_that_has_lost_its_memory_but_not_its_descriptors_has_not_ended() {
        let exiting = stat("R", 0x0040_0004, 1);
        assert!(exiting.is_exiting && !exiting.has_ended());
        let first_thread_gone = stat("Z", 0x0040_0004, 2);
        assert!(first_thread_gone.is_exiting && !first_thread_gone.has_ended());
        assert!(stat("Z", 0x0040_0004, 1).has_ended());
        assert!(stat("X", 0x0040_0004, 0).has_ended());
    }

    #[test]
    fn the_last_id_is_that_in_the_innermost_namespace() {
        let table = [
            ("Name:\ta\nNSpid:\t4711\t7\nVmPeak:\t1 kB\n", Some(7)),
            ("NSpid:\t4711", Some(4711)),
            ("NSpid:\n", None),
            ("Name:\tNSpid:\t1\n", None),
            ("", None),
        ];
        for (status, pid) in table {
            assert_eq!(innermost_pid(status.as_bytes()), pid, "{status:?}");
        }
        assert_eq!(innermost_pid(b"Name:\t\xff\nNSpid:\t9\n"), Some(9));
    }
}
