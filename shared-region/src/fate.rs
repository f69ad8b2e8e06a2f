//! Whether a slot's owner lives: by its life lock and by what can be seen of its process. Neither is enough.
//!
//! * A lock ends with the owner's memory, before its descriptors do, so what it held of the GPU may be in use a moment longer.
//! * A forked child may have inherited the lock (as a descriptor, or in the middle of its parent's joining) and outlive the owner.
//! * Other code in the owner's process may have closed the descriptor that held the lock.
//! * In other PID namespaces nothing can be seen, and the lock decides.

use std::os::fd::BorrowedFd;

use crate::error::LockFault;
use crate::layout::{HELD_BY_DESCRIPTOR, HELD_BY_MAPPING, lock_bytes};
use crate::ledger::SlotId;
use crate::lock;
use crate::process::{Observer, Sight};
use crate::slots::Owner;

/// What has become of a slot's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Alive,
    /// It is ending, and what it holds of the GPU may still be in use for a moment.
    Dying,
    Dead,
}

/// The calling process as it judges others.
pub(crate) struct Judge<'a> {
    pub(crate) me: &'a Observer,
    /// A description of the region's file; `None` where it cannot be opened (any more).
    pub(crate) locks: Option<BorrowedFd<'a>>,
}

impl Judge<'_> {
    /// What has become of `owner`, who owns `slot`. One system call if it lives and nobody else can have its lock.
    pub(crate) fn fate(&self, slot: SlotId, owner: &Owner) -> Result<Fate, LockFault> {
        if self.me.is(&owner.identity) {
            // This process before `exec`: its descriptors are closed on the way, whoever has copies.
            return Ok(if owner.image == self.me.image { Fate::Alive } else { Fate::Dead });
        }
        let is_locked = match self.locks {
            Some(locks) => lock::is_locked(locks, lock_bytes::life(slot))?,
            None => true,
        };
        if is_locked && owner.hold == HELD_BY_MAPPING && self.locks.is_some() {
            return Ok(Fate::Alive);
        }
        Ok(verdict(is_locked, owner.hold, self.me.look_at(&owner.identity)))
    }
}

const fn verdict(is_locked: bool, hold: u64, sight: Sight) -> Fate {
    match sight {
        Sight::Gone => Fate::Dead,
        _ if is_locked => Fate::Alive,
        Sight::Exiting => Fate::Dying,
        Sight::Running if hold == HELD_BY_DESCRIPTOR => Fate::Alive,
        // A mapping ends with `exec`, after which nothing of the GPU is held.
        Sight::Running | Sight::Unknown => Fate::Dead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::HELD_BY_SHARED_MAPPING;

    #[test]
    fn a_lock_that_a_child_has_inherited_does_not_keep_a_process_alive_that_is_gone() {
        for hold in [HELD_BY_DESCRIPTOR, HELD_BY_SHARED_MAPPING] {
            assert_eq!(verdict(true, hold, Sight::Gone), Fate::Dead);
            for sight in [Sight::Exiting, Sight::Running, Sight::Unknown] {
                assert_eq!(verdict(true, hold, sight), Fate::Alive);
            }
        }
    }

    #[test]
    fn a_process_whose_lock_ended_before_its_descriptors_is_not_dead_yet() {
        for hold in [HELD_BY_MAPPING, HELD_BY_DESCRIPTOR, HELD_BY_SHARED_MAPPING] {
            assert_eq!(verdict(false, hold, Sight::Exiting), Fate::Dying);
            assert_eq!(verdict(false, hold, Sight::Gone), Fate::Dead);
            assert_eq!(verdict(false, hold, Sight::Unknown), Fate::Dead, "another namespace");
        }
        assert_eq!(verdict(false, HELD_BY_MAPPING, Sight::Running), Fate::Dead, "it has called exec");
        assert_eq!(
            verdict(false, HELD_BY_DESCRIPTOR, Sight::Running),
            Fate::Alive,
            "it was closed behind our back"
        );
    }
}
