//! Who a process is, and whether it is still there.

use rustix::fs::{Mode, OFlags, open, stat};

/// Enough for `/proc/<pid>/stat` up to the fields that are read.
const STAT_BUFFER: usize = 1024;

/// A process, for as long as the machine is up. Fields that cannot be read are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessIdentity {
    /// Process id in its own PID namespace.
    pub(crate) pid: u32,
    /// Inode number of its PID namespace.
    pub(crate) namespace: u64,
    /// When it started, in clock ticks since boot.
    pub(crate) started: u64,
}

impl ProcessIdentity {
    /// The calling process.
    pub(crate) fn current() -> Self {
        Self {
            pid: std::process::id(),
            namespace: stat("/proc/self/ns/pid").map_or(0, |file| file.st_ino),
            started: read_stat("self").map_or(0, |stat| stat.started),
        }
    }

    /// Whether `self`, seen from `observer`, is certainly running. `false` also when that cannot be known.
    pub(crate) fn is_running(&self, observer: &Self) -> bool {
        if self.namespace == 0 || self.namespace != observer.namespace {
            return false;
        }
        read_stat(&self.pid.to_string()).is_some_and(|stat| stat.started == self.started && !stat.ended)
    }
}

/// What is read from `/proc/<pid>/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    /// A zombie: gone, but not yet waited for.
    ended: bool,
    started: u64,
}

/// `None` when there is no such process or no `/proc`.
fn read_stat(process: &str) -> Option<Stat> {
    let file = open(format!("/proc/{process}/stat"), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut buffer = [0; STAT_BUFFER];
    let length = rustix::io::read(&file, &mut buffer).ok()?;
    parse_stat(buffer.get(..length)?)
}

/// Fields 3 and 22 of proc_pid_stat(5). The name in field 2 may contain anything, also parentheses.
fn parse_stat(text: &[u8]) -> Option<Stat> {
    let after_name = text.iter().rposition(|&byte| byte == b')')? + 1;
    let mut fields = core::str::from_utf8(text.get(after_name..)?).ok()?.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X" | "x");
    let started = fields.nth(18)?.parse().ok()?;
    Some(Stat { ended, started })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_running() {
        let me = ProcessIdentity::current();
        assert!(me.namespace != 0 && me.started != 0);
        assert!(me.is_running(&me));
    }

    #[test]
    fn another_process_with_the_same_id_is_not_this_one() {
        let me = ProcessIdentity::current();
        assert!(!ProcessIdentity { started: me.started + 1, ..me }.is_running(&me));
        assert!(!ProcessIdentity { namespace: me.namespace + 1, ..me }.is_running(&me));
        assert!(!ProcessIdentity { pid: u32::MAX, ..me }.is_running(&me));
    }

    #[test]
    fn a_zombie_is_not_running() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let me = ProcessIdentity::current();
        let pid = child.id();
        let started = read_stat(&pid.to_string()).unwrap().started;
        let child_identity = ProcessIdentity { pid, started, ..me };
        // It ends by itself and stays a zombie until the `wait` below.
        while child_identity.is_running(&me) {
            std::thread::yield_now();
        }
        assert!(read_stat(&pid.to_string()).unwrap().ended);
        child.wait().unwrap();
    }

    #[test]
    fn a_name_cannot_forge_the_fields() {
        let text = b"7 (a) Z 1 2) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21";
        assert_eq!(parse_stat(text), Some(Stat { ended: false, started: 4242 }));
        assert_eq!(parse_stat(b"7 (a) S 1 2"), None);
        assert_eq!(parse_stat(b""), None);
    }
}
