//! Who holds memory of a device, for whoever has to tell a process about its neighbours in the region.

use std::os::fd::AsFd;

use contract::Bytes;

use crate::devices::DeviceIndex;
use crate::fate::{Fate, Judge};
use crate::layout::is_free;
use crate::ledger::SlotId;
use crate::process::Observer;
use crate::region::Mapped;

/// A living process that holds memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id in its own PID namespace.
    pub pid: u32,
    /// Inode number of that namespace; 0 where it is not known.
    pub pid_namespace: u64,
    /// When it started, in clock ticks since boot: field 22 of `/proc/<pid>/stat`, the same in every namespace.
    pub started: u64,
    /// What it holds.
    pub used: Bytes,
}

/// Every process that holds memory of `device`, by slot. Whoever cannot be told dead counts as alive, as for the total.
pub(crate) fn of(region: &Mapped, device: DeviceIndex) -> Vec<Holder> {
    let locks = region.for_locks();
    let me = Observer::new();
    let judge = Judge { me: &me, locks: locks.as_ref().ok().map(AsFd::as_fd) };
    region.file.used_slots().filter_map(|slot| holder(region, device, slot, &judge)).collect()
}

fn holder(region: &Mapped, device: DeviceIndex, slot: SlotId, judge: &Judge<'_>) -> Option<Holder> {
    let entry = region.file.slot(slot);
    if is_free(entry.tenure()) {
        return None;
    }
    let owner = entry.owner();
    let used = Bytes(region.file.ledger(device).used(slot));
    if used == Bytes::ZERO || matches!(judge.fate(slot, &owner), Ok(Fate::Dead)) {
        return None;
    }
    let identity = owner.identity;
    let holder =
        Holder { pid: identity.pid, pid_namespace: identity.namespace, started: identity.started, used };
    // Unless the slot has changed hands meanwhile, which would mix up two owners.
    (entry.tenure() == owner.tenure).then_some(holder)
}
