//! Taking back what dead processes held.
//!
//! Everything here is done in the caller's own name and holds no lock, so that a process which is stopped in the middle keeps
//! nobody waiting.

use std::os::fd::AsFd;

use contract::Bytes;

use crate::devices::DeviceIndex;
use crate::error::LockFault;
use crate::fate::{Fate, Judge};
use crate::layout::is_free;
use crate::ledger::SlotId;
use crate::member::Member;
use crate::process::Observer;
use crate::region::Mapped;
use crate::slots::Owner;

/// What a scan for dead processes has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaped {
    /// Processes found dead.
    pub processes: u32,
    /// What they had held, on all devices together.
    pub bytes: Bytes,
}

/// One look at every other member.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) reaped: Reaped,
    /// Whether a process is just ending that will have to be looked at again.
    pub(crate) is_dying: bool,
    /// What has kept the scan from judging everybody.
    pub(crate) fault: Option<LockFault>,
}

/// Clears up after every dead process; with `only`, after those that hold some of that device.
///
/// What other processes are clearing up at the moment is free, too, when this returns. Where the file cannot be opened any more (its name
/// is gone, or the caller has become another user), processes of the same PID namespace are still told by their ids.
pub(crate) fn scan(member: &Member, region: &Mapped, only: Option<DeviceIndex>) -> Scan {
    let locks = region.for_locks();
    let me = Observer::new();
    let mut scan = Scan::default();
    let judge = Judge { me: &me, locks: locks.as_ref().ok().map(AsFd::as_fd) };
    let matters = |slot: &SlotId| only.is_none_or(|device| region.file.ledger(device).used(*slot) != 0);
    for slot in region.file.used_slots().filter(|slot| *slot != member.slot()) {
        let entry = region.file.slot(slot);
        if is_free(entry.tenure()) || !matters(&slot) {
            continue;
        }
        let owner = entry.owner();
        match judge.fate(slot, &owner) {
            Ok(Fate::Dead) => write_off(member, region, slot, &owner, &mut scan.reaped),
            Ok(Fate::Dying) => scan.is_dying = true,
            Ok(Fate::Alive) => {}
            Err(fault) => scan.fault = Some(fault),
        }
    }
    scan.fault = scan.fault.or_else(|| locks.err());
    scan
}

/// Clears up after this process itself as it was before `exec`.
pub(crate) fn former_self(member: &Member, region: &Mapped, me: &Observer) {
    for slot in region.file.used_slots().filter(|slot| *slot != member.slot()) {
        let entry = region.file.slot(slot);
        // Most are somebody else's, which is soon seen.
        if is_free(entry.tenure()) || !entry.may_be_of(me.identity.pid) {
            continue;
        }
        let owner = entry.owner();
        if me.is(&owner.identity) && owner.image != me.image {
            write_off(member, region, slot, &owner, &mut Reaped::default());
        }
    }
}

/// Takes back, in the name of `member`, what the dead `owner` of `slot` held, unless the slot has changed hands.
fn write_off(member: &Member, region: &Mapped, slot: SlotId, owner: &Owner, reaped: &mut Reaped) {
    let entry = region.file.slot(slot);
    for device in DeviceIndex::all() {
        let holding = region.file.ledger(device).holding(slot);
        // Asked after the look at what is held, so that it is nothing of a new owner's.
        if entry.tenure() != owner.tenure {
            return;
        }
        reaped.bytes = reaped.bytes.saturating_add(member.write_off(device, slot, holding));
    }
    reaped.processes += u32::from(entry.leave(owner.tenure));
}
