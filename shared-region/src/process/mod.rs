//! Who a process is, and whether it is still there.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

mod image;
mod namespace;
mod stat;

use image::image;
use stat::stat;

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

/// The calling process, which looks at others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observer {
    pub(crate) identity: ProcessIdentity,
    /// Which program the process is: another number after each `exec`.
    pub(crate) image: u64,
    /// Whether it has no thread but this one.
    pub(crate) is_alone: bool,
    /// Whether `/proc` shows its own PID namespace. In a new namespace without a new mount it shows another.
    proc_is_own: bool,
}

/// What an [`Observer`] sees of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It is certainly gone, and so is all that it had: a zombie has closed its descriptors.
    Gone,
    /// It is ending: it may have lost its memory, but not yet closed its descriptors.
    Exiting,
    /// It is there.
    Running,
    /// Processes of other PID namespaces cannot be seen, nor can any where `/proc` does not show them.
    Unknown,
}

impl Observer {
    /// The calling process.
    pub(crate) fn new() -> Self {
        let status = stat("self");
        let pid = std::process::id();
        let identity = ProcessIdentity {
            pid,
            namespace: namespace::of_self(),
            started: status.as_ref().map_or(0, |status| status.started),
        };
        Self {
            identity,
            image: image(),
            is_alone: status.as_ref().is_some_and(|status| status.threads == 1),
            proc_is_own: status.is_some_and(|status| status.pid == pid),
        }
    }

    /// Whether `other` is certainly this process, be it before or after `exec`.
    pub(crate) fn is(&self, other: &ProcessIdentity) -> bool {
        self.identity == *other && other.namespace != 0 && other.started != 0
    }

    /// What can be seen of `other`.
    pub(crate) fn look_at(&self, other: &ProcessIdentity) -> Sight {
        let is_visible =
            other.namespace != 0 && other.namespace == self.identity.namespace && other.started != 0;
        let Some(pid) = i32::try_from(other.pid).ok().and_then(Pid::from_raw).filter(|_| is_visible) else {
            return Sight::Unknown;
        };
        match stat(&other.pid.to_string()).filter(|_| self.proc_is_own) {
            Some(status) if status.started != other.started || status.has_ended() => Sight::Gone,
            Some(status) if status.is_exiting => Sight::Exiting,
            Some(_) => Sight::Running,
            // `/proc` may hide what belongs to another user.
            None if test_kill_process(pid) == Err(Errno::SRCH) => Sight::Gone,
            None => Sight::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_running() {
        let me = Observer::new();
        assert!(me.identity.namespace != 0 && me.identity.started != 0 && me.proc_is_own);
        assert_eq!(me.look_at(&me.identity), Sight::Running);
        assert!(me.is(&me.identity));
        assert_eq!(me.image, Observer::new().image);
    }

    #[test]
    fn another_process_with_the_same_id_is_not_this_one() {
        let me = Observer::new();
        let other = ProcessIdentity { started: me.identity.started + 1, ..me.identity };
        assert_eq!(me.look_at(&other), Sight::Gone);
        assert!(!me.is(&other));
    }

    #[test]
    fn a_process_id_that_is_not_in_use_is_gone() {
        let me = Observer::new();
        let other = ProcessIdentity { pid: i32::MAX.unsigned_abs(), ..me.identity };
        assert_eq!(me.look_at(&other), Sight::Gone);
        // Without /proc, too.
        assert_eq!(Observer { proc_is_own: false, ..me }.look_at(&other), Sight::Gone);
    }

    #[test]
    fn what_cannot_be_seen_is_not_called_gone() {
        let me = Observer::new();
        let there = me.identity;
        assert_eq!(Observer { proc_is_own: false, ..me }.look_at(&there), Sight::Unknown);
        for hidden in [
            ProcessIdentity { namespace: there.namespace + 1, ..there },
            ProcessIdentity { namespace: 0, ..there },
            ProcessIdentity { started: 0, ..there },
            ProcessIdentity { pid: 0, ..there },
            ProcessIdentity { pid: u32::MAX, ..there },
        ] {
            assert_eq!(me.look_at(&hidden), Sight::Unknown, "{hidden:?}");
        }
    }

    #[test]
    fn a_zombie_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let me = Observer::new();
        let pid = child.id();
        let started = stat(&pid.to_string()).unwrap().started;
        let identity = ProcessIdentity { pid, started, ..me.identity };
        // It ends by itself and stays a zombie until the `wait` below.
        while me.look_at(&identity) != Sight::Gone {
            std::thread::yield_now();
        }
        assert!(stat(&pid.to_string()).unwrap().has_ended());
        child.wait().unwrap();
    }
}
