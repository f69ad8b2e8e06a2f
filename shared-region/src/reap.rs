//! Taking back what dead processes held.

use core::sync::atomic::Ordering;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use contract::Bytes;

use crate::error::LockFault;
use crate::layout::{FREE, lock_bytes};
use crate::ledger::SlotId;
use crate::lock::{self, Locked};
use crate::process::ProcessIdentity;
use crate::region::Mapped;
use crate::slots::clear_if_dead;

/// How long to wait for another process that is just clearing up the same slot. It takes microseconds unless it is stopped.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a scan for dead processes has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaped {
    /// Processes found dead.
    pub processes: u32,
    /// What they had held, on all devices together.
    pub bytes: Bytes,
}

/// Clears up after every dead process: one system call for each living one.
///
/// What other processes are clearing up at the moment is free, too, when this returns.
pub(crate) fn reap(region: &Mapped) -> Result<Reaped, LockFault> {
    let locks = region.for_locks()?;
    let mut me = None;
    let mut reaped = Reaped::default();
    let occupied =
        SlotId::all_from(0).filter(|slot| region.file.slot(*slot).state.load(Ordering::Acquire) != FREE);
    for slot in occupied {
        if let Some(bytes) = reap_slot(region, locks.as_fd(), slot, &mut me)? {
            reaped.processes += 1;
            reaped.bytes = reaped.bytes.saturating_add(bytes);
        }
    }
    Ok(reaped)
}

/// Clears up `slot` if its owner is dead; `None` if not, or if somebody else did.
fn reap_slot(
    region: &Mapped,
    locks: BorrowedFd<'_>,
    slot: SlotId,
    me: &mut Option<ProcessIdentity>,
) -> Result<Option<Bytes>, LockFault> {
    let life = lock_bytes::life(slot);
    if lock::is_locked(locks, life)? {
        return Ok(None);
    }
    let claim = Locked::within(locks, lock_bytes::claim(slot), PATIENCE)?;
    let is_free = || region.file.slot(slot).state.load(Ordering::Acquire) == FREE;
    if claim.is_none() || is_free() || lock::is_locked(locks, life)? {
        return Ok(None);
    }
    let me = me.get_or_insert_with(ProcessIdentity::current);
    Ok(clear_if_dead(&region.file, slot, me))
}
