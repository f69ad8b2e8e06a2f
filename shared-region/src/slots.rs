//! Becoming the owner of a slot, and ceasing to be.

use core::sync::atomic::Ordering;
use std::os::fd::{AsFd, BorrowedFd};

use contract::Bytes;

use crate::devices::DeviceIndex;
use crate::error::LockFault;
use crate::hold::Hold;
use crate::layout::{FREE, HELD_BY_DESCRIPTOR, LIVE, RegionFile, Slot, lock_bytes};
use crate::ledger::SlotId;
use crate::lock::{self, Locked};
use crate::process::ProcessIdentity;
use crate::region::Mapped;

/// A slot that this process owns.
pub(crate) struct Ownership {
    pub(crate) slot: SlotId,
    pub(crate) hold: Hold,
}

/// Takes a free slot, else a dead process's, after clearing up after it.
pub(crate) fn take(region: &Mapped) -> Result<Ownership, LockFault> {
    let locks = region.for_locks()?;
    let me = ProcessIdentity::current();
    let is_free = |slot: &SlotId| region.file.slot(*slot).state.load(Ordering::Acquire) == FREE;
    // Where to start is arbitrary; by process id, processes that start together do not all try the same slot.
    let free = SlotId::all_from(me.pid).filter(is_free);
    for slot in free.chain(SlotId::all_from(me.pid)) {
        if let Some(hold) = try_take(region, locks.as_fd(), slot, &me)? {
            return Ok(Ownership { slot, hold });
        }
    }
    Err(LockFault::Full)
}

/// Takes `slot` if it has no living owner and nobody is just clearing it up.
fn try_take(
    region: &Mapped,
    locks: BorrowedFd<'_>,
    slot: SlotId,
    me: &ProcessIdentity,
) -> Result<Option<Hold>, LockFault> {
    let life = lock_bytes::life(slot);
    if lock::is_locked(locks, life)? {
        return Ok(None);
    }
    let Some(_claim) = Locked::now(locks, lock_bytes::claim(slot))? else { return Ok(None) };
    // The remains go first, while it is still plain to others that the slot is not a living process's.
    if lock::is_locked(locks, life)? || clear_if_dead(&region.file, slot, me).is_none() {
        return Ok(None);
    }
    let Some(hold) = Hold::take(life, locks, || region.for_locks())? else { return Ok(None) };
    region.file.slot(slot).enter(me, &hold);
    Ok(Some(hold))
}

/// Makes `slot` free if it is not; the bytes that its owner still held. `None`, if that owner may be alive after all.
///
/// The caller has locked the claim byte and found the life byte unlocked.
pub(crate) fn clear_if_dead(file: &RegionFile, slot: SlotId, me: &ProcessIdentity) -> Option<Bytes> {
    let entry = file.slot(slot);
    if entry.state.load(Ordering::Acquire) == FREE {
        return Some(Bytes::ZERO);
    }
    // Other code in the owner's process may have closed the descriptor that held the lock.
    if entry.hold.load(Ordering::Relaxed) == HELD_BY_DESCRIPTOR && entry.owner().is_running(me) {
        return None;
    }
    Some(clear(file, slot))
}

/// Takes back everything that `slot` holds and makes it free; the bytes that it held.
///
/// The caller is its owner, or has locked the claim byte and knows that the owner is dead. May be interrupted by death
/// anywhere and done again.
pub(crate) fn clear(file: &RegionFile, slot: SlotId) -> Bytes {
    let mut held = Bytes::ZERO;
    for device in DeviceIndex::all() {
        held = held.saturating_add(Bytes(file.ledger(device).recover(slot)));
        let stats = &file.cell(slot, device).stats;
        file.device(device).keep_refusals(stats.refused.swap(0, Ordering::Relaxed));
        stats.peak.store(0, Ordering::Relaxed);
        stats.overhead.store(0, Ordering::Relaxed);
    }
    file.slot(slot).leave();
    held
}

impl Slot {
    /// Writes down the new owner.
    fn enter(&self, owner: &ProcessIdentity, hold: &Hold) {
        self.pid.store(u64::from(owner.pid), Ordering::Relaxed);
        self.pid_namespace.store(owner.namespace, Ordering::Relaxed);
        self.started.store(owner.started, Ordering::Relaxed);
        self.hold.store(hold.kind(), Ordering::Relaxed);
        self.incarnation.fetch_add(1, Ordering::Relaxed);
        self.state.store(LIVE, Ordering::Release);
    }

    fn leave(&self) {
        self.refused_bytes.store(0, Ordering::Relaxed);
        self.last_refusal.store(0, Ordering::Relaxed);
        self.state.store(FREE, Ordering::Release);
    }

    fn owner(&self) -> ProcessIdentity {
        ProcessIdentity {
            pid: u32::try_from(self.pid.load(Ordering::Relaxed)).unwrap_or(0),
            namespace: self.pid_namespace.load(Ordering::Relaxed),
            started: self.started.load(Ordering::Relaxed),
        }
    }
}
