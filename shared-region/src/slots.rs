//! Becoming the owner of a slot, and ceasing to be.

use core::sync::atomic::Ordering;
use std::os::fd::{AsFd, BorrowedFd};

use crate::devices::DeviceIndex;
use crate::error::LockFault;
use crate::fate::{Fate, Judge};
use crate::hold::Hold;
use crate::layout::{RegionFile, Slot, is_free, lock_bytes};
use crate::ledger::SlotId;
use crate::lock::{self, Locked};
use crate::process::{Observer, ProcessIdentity};
use crate::region::Mapped;

/// A slot that this process owns.
pub(crate) struct Ownership {
    pub(crate) slot: SlotId,
    pub(crate) hold: Hold,
}

/// Takes a free slot, else a dead process's, after clearing up after it.
pub(crate) fn take(region: &Mapped, me: &Observer) -> Result<Ownership, LockFault> {
    let locks = region.for_locks()?;
    let judge = Judge { me, locks: Some(locks.as_fd()) };
    let first = me.identity.pid;
    // Low ones, so that few have ever been used and whoever looks for the dead is soon done. Among those, where to start is
    // arbitrary; by process id, processes that start together do not all try the same slot.
    let free = SlotId::all_from(first).filter(|slot| is_free(region.file.slot(*slot).tenure()));
    for slot in free.chain(SlotId::all_from(first)) {
        if let Some(hold) = try_take(region, locks.as_fd(), slot, &judge)? {
            return Ok(Ownership { slot, hold });
        }
    }
    Err(LockFault::Full)
}

/// Takes `slot` if it has no living owner, nobody else is just taking it, and no child of a dead owner has its lock.
fn try_take(
    region: &Mapped,
    locks: BorrowedFd<'_>,
    slot: SlotId,
    judge: &Judge<'_>,
) -> Result<Option<Hold>, LockFault> {
    let life = lock_bytes::life(slot);
    // Whoever has none need not be asked for his lock before the claim as well.
    if !is_free(region.file.slot(slot).tenure()) && lock::is_locked(locks, life)? {
        return Ok(None);
    }
    let Some(_claim) = Locked::now(locks, lock_bytes::claim(slot))? else { return Ok(None) };
    if lock::is_locked(locks, life)? {
        return Ok(None);
    }
    let entry = region.file.slot(slot);
    if !is_free(entry.tenure()) {
        if judge.fate(slot, &entry.owner())? != Fate::Dead {
            return Ok(None);
        }
        // The remains go first, while it is still plain to others that the slot is not a living process's.
        clear(&region.file, slot);
    }
    let Some(hold) = Hold::take(life, locks, || region.for_locks())? else { return Ok(None) };
    // Of a device that nobody has met yet, no owner before can have left anything.
    for device in region.file.met_devices() {
        let stats = &region.file.cell(slot, device).stats;
        stats.peak.store(0, Ordering::Relaxed);
        stats.overhead.store(0, Ordering::Relaxed);
        stats.refused.store(0, Ordering::Relaxed);
        region.file.compute_stats(slot, device).clear();
    }
    region.file.note_use(slot);
    entry.enter(judge.me, &hold);
    Ok(Some(hold))
}

/// Takes back everything that `slot` holds and makes it free.
///
/// The caller is its owner, or has locked the claim byte and knows that the owner is dead. May be interrupted by death
/// anywhere and done again.
pub(crate) fn clear(file: &RegionFile, slot: SlotId) {
    let tenure = file.slot(slot).tenure();
    for device in DeviceIndex::all() {
        file.ledger(device).recover(slot);
    }
    file.slot(slot).leave(tenure);
}

/// The owner of a slot, and since which change of hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) tenure: u64,
    pub(crate) identity: ProcessIdentity,
    /// The program that the process was when it joined.
    pub(crate) image: u64,
    pub(crate) hold: u64,
}

impl Slot {
    pub(crate) fn tenure(&self) -> u64 {
        self.tenure.load(Ordering::Acquire)
    }

    /// Writes down the new owner of a free slot. One process at a time; it has locked the claim byte.
    ///
    /// Release, so that a reader who meets a word of his also sees that the slot has changed hands.
    fn enter(&self, owner: &Observer, hold: &Hold) {
        self.pid.store(u64::from(owner.identity.pid), Ordering::Release);
        self.pid_namespace.store(owner.identity.namespace, Ordering::Release);
        self.started.store(owner.identity.started, Ordering::Release);
        self.hold.store(hold.kind(owner.is_alone), Ordering::Release);
        self.image.store(owner.image, Ordering::Release);
        self.refused_bytes.store(0, Ordering::Release);
        self.last_refused_device.store(0, Ordering::Release);
        self.last_refusal.clear();
        self.tenure.fetch_add(1, Ordering::Release);
    }

    /// Makes the slot free unless it has changed hands since `tenure`; whether it had not.
    pub(crate) fn leave(&self, tenure: u64) -> bool {
        let left =
            self.tenure.compare_exchange(tenure, tenure.wrapping_add(1), Ordering::AcqRel, Ordering::Relaxed);
        left.is_ok()
    }

    /// Whether the owner has this process id, in whatever namespace.
    pub(crate) fn may_be_of(&self, pid: u32) -> bool {
        self.pid.load(Ordering::Acquire) == u64::from(pid)
    }

    /// Who owns the slot. A mixture of two owners if it changes hands meanwhile; its tenure is not the slot's any more then.
    pub(crate) fn owner(&self) -> Owner {
        let tenure = self.tenure();
        let identity = ProcessIdentity {
            pid: u32::try_from(self.pid.load(Ordering::Acquire)).unwrap_or(0),
            namespace: self.pid_namespace.load(Ordering::Acquire),
            started: self.started.load(Ordering::Acquire),
        };
        let (image, hold) = (self.image.load(Ordering::Acquire), self.hold.load(Ordering::Acquire));
        Owner { tenure, identity, image, hold }
    }
}
