//! By what the launches of a graph are told apart: what is learned of them holds until the graph is changed, and not for
//! another one that the driver calls by the same handle later.

use super::Key;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use cuda_sys::CUgraphExec;
use shared_region::BriefLock;
use tracker::Table;

/// Graphs that were launched under a limit, by handle, and what each is known by until it is changed.
#[derive(Default)]
pub(super) struct Graphs {
    serials: BriefLock<Table<usize, u64>>,
    count: AtomicUsize,
}

impl Graphs {
    /// The key of a launch of `exec` as it is now.
    pub(super) fn key(&self, exec: CUgraphExec) -> Key {
        let mut serials = self.serials.lock();
        let serial = *serials.entry(exec.0 as usize).or_insert_with(next);
        self.count.store(serials.len(), Relaxed);
        of(serial)
    }

    /// `exec` has been changed; the key of what it was.
    pub(super) fn change(&self, exec: CUgraphExec) -> Option<Key> {
        self.with(|known| known.get_mut(&(exec.0 as usize)).map(|serial| core::mem::replace(serial, next())))
    }

    /// `exec` is about to go; its key.
    pub(super) fn forget(&self, exec: CUgraphExec) -> Option<Key> {
        self.with(|known| known.remove(&(exec.0 as usize)))
    }

    /// Costs a load while there are none.
    fn with(&self, change: impl FnOnce(&mut Table<usize, u64>) -> Option<u64>) -> Option<Key> {
        if self.count.load(Relaxed) == 0 {
            return None;
        }
        let mut serials = self.serials.lock();
        let serial = change(&mut serials);
        self.count.store(serials.len(), Relaxed);
        serial.map(of)
    }
}

/// No two graphs, and no two states of one, have the same.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

fn of(serial: u64) -> Key {
    Key::of(serial, [u64::MAX, 0, u64::MAX])
}
