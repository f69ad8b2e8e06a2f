//! Under which id NVML lists this process: its own where both are in one PID namespace, or where the driver translates; in a
//! container usually one of the host, which nothing in here tells. Then it is the one that comes when a context is created,
//! if just one comes, or the only one whose use changes as this process's does.

use super::gpus;
use contract::{Bytes, Uuid};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use shared_region::{BriefLock, DeviceIndex};
use tracker::Listing;

/// The id, once it is known; 0 before.
#[derive(Default)]
pub(super) struct Identity {
    id: AtomicU32,
    /// What was listed when it was looked for last, and where.
    last: BriefLock<Option<(DeviceIndex, Listing)>>,
}

/// The processes that were listed before something.
pub(super) struct Before(Vec<(u32, Bytes)>);

impl Identity {
    /// The id to look for.
    pub(super) fn id(&self) -> u32 {
        match self.id.load(Relaxed) {
            0 => std::process::id(),
            known => known,
        }
    }

    /// The processes on `gpu`, on which this one has no context, if its id is to be learned with its first.
    pub(super) fn watch(&self, gpu: Uuid) -> Option<Before> {
        let is_known = self.id.load(Relaxed) != 0 || is_in_first_namespace();
        if is_known { None } else { gpus::processes_on(gpu).map(Before) }
    }

    /// A context has been created on `gpu` since `before`. Returns how many processes have come since.
    pub(super) fn learn(&self, gpu: Uuid, Before(before): &Before) -> usize {
        let listed = gpus::processes_on(gpu).unwrap_or_default();
        let is_new = |(id, _): &&(u32, Bytes)| !before.iter().any(|(known, _)| known == id);
        let new: Vec<_> = listed.iter().filter(is_new).collect();
        // Of several one is this process, or none: whoever reads the wrong one's figure charges for a neighbour.
        if let [(id, _)] = new[..] {
            self.id.store(*id, Relaxed);
        }
        new.len()
    }

    /// Nothing is listed under the id looked for; what this process has asked for by size takes `asked` bytes of `gpu`.
    pub(super) fn search(&self, gpu: Uuid, device: DeviceIndex, asked: Bytes) {
        let Some(processes) = gpus::processes_on(gpu).filter(|_| !is_in_first_namespace()) else { return };
        let listing = Listing { processes, asked };
        let last = self.last.lock().replace((device, listing.clone()));
        let found = last.filter(|(place, _)| *place == device).and_then(|(_, last)| listing.recognise(&last));
        if let Some(id) = found {
            self.id.store(id, Relaxed);
        }
    }
}

/// Whether this process lives in the machine's first PID namespace, whose ids are the driver's.
fn is_in_first_namespace() -> bool {
    /// `PROC_PID_INIT_INO` of Linux.
    const FIRST: u64 = 0xEFFF_FFFC;
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self/ns/pid").is_ok_and(|namespace| namespace.ino() == FIRST)
}
