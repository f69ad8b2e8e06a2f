//! Idle connections of a client.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use super::wire::Wire;

/// Idle connections that are kept; more are closed.
const SLOTS: usize = 16;

const EMPTY: i32 = -1;

/// A set of idle connections without a lock: at a fork no other thread can leave it half changed, so the child can
/// still close what is in it. What a thread holds at that instant stays open in the child, until it executes
/// something; the server does not rely on end of file alone to notice the death of the parent.
#[derive(Debug)]
pub(super) struct Pool([AtomicI32; SLOTS]);

impl Default for Pool {
    fn default() -> Self {
        Self([const { AtomicI32::new(EMPTY) }; SLOTS])
    }
}

impl Pool {
    /// A connection that nobody uses.
    pub(super) fn take(&self) -> Option<Wire> {
        self.0.iter().find_map(|slot| {
            let fd = slot.swap(EMPTY, Ordering::Acquire);
            if fd == EMPTY {
                return None;
            }
            // SAFETY: only `put` stores into a slot, a descriptor that it owned and let go of; the swap took it out,
            // so no other call can take it as well.
            Some(Wire::new(unsafe { OwnedFd::from_raw_fd(fd) }))
        })
    }

    /// Keeps the connection for a later call, or closes it when there are plenty.
    pub(super) fn put(&self, wire: Wire) {
        let fd = wire.into_fd().into_raw_fd();
        let kept = self
            .0
            .iter()
            .any(|slot| slot.compare_exchange(EMPTY, fd, Ordering::Release, Ordering::Relaxed).is_ok());
        if !kept {
            // SAFETY: it was let go of four lines above and no slot took it.
            drop(unsafe { OwnedFd::from_raw_fd(fd) });
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        while self.take().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::{AsFd, AsRawFd};

    use super::*;

    fn wire() -> Wire {
        Wire::new(std::fs::File::open("/dev/null").expect("the null device").into())
    }

    #[test]
    fn a_connection_is_given_to_one_caller_only() {
        let pool = Pool::default();
        assert!(pool.take().is_none());
        let first = wire();
        let fd = first.as_fd().as_raw_fd();
        pool.put(first);
        assert_eq!(pool.take().map(|wire| wire.as_fd().as_raw_fd()), Some(fd));
        assert!(pool.take().is_none());
    }

    #[test]
    fn connections_beyond_the_slots_are_closed_and_not_lost() {
        let pool = Pool::default();
        for _ in 0..SLOTS {
            pool.put(wire());
        }
        let (mut other_end, one_too_many) = std::io::pipe().expect("a pipe");
        pool.put(Wire::new(one_too_many.into()));
        assert_eq!(other_end.read(&mut [0]).expect("the end of the pipe"), 0);
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), SLOTS);
    }
}
