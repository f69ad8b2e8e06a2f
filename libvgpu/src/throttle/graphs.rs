//! By what the launches of a graph are told apart: what is learned of them holds until the graph is changed, and not for
//! another one that the driver calls by the same handle later.

use super::Key;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use cuda_sys::CUgraphExec;
use policy::compute::Nanos;
use shared_region::BriefLock;
use tracker::Table;

/// Graphs that were launched under a limit, by handle.
#[derive(Default)]
pub(super) struct Graphs {
    known: BriefLock<Table<usize, Graph>>,
    count: AtomicUsize,
}

/// A graph, until it is changed.
#[derive(Clone, Copy)]
struct Graph {
    serial: u64,
    /// What it took before it was changed last: a better guess than none.
    before: Nanos,
}

impl Graphs {
    /// The key of a launch of `exec` as it is now, and what that is held to cost before it was measured.
    pub(super) fn key(&self, exec: CUgraphExec) -> (Key, Nanos) {
        let mut known = self.known.lock();
        let graph = known.entry(exec.0 as usize).or_insert_with(|| Graph::new(Nanos::ZERO));
        let answer = (graph.key(), graph.before);
        self.count.store(known.len(), Relaxed);
        answer
    }

    /// `exec` has been changed; the key of what it was. `None` also where nobody knows what that costs, as `expected` tells: then
    /// it is measured as what it is now, so that who changes a graph after each launch waits for a measurement as others do.
    pub(super) fn change(
        &self,
        exec: CUgraphExec,
        expected: impl FnOnce(Key) -> Option<Nanos>,
    ) -> Option<Key> {
        self.with(|known| {
            let graph = known.get_mut(&(exec.0 as usize))?;
            let key = graph.key();
            *graph = Graph::new(expected(key)?);
            Some(key)
        })
    }

    /// `exec` is about to go; its key.
    pub(super) fn forget(&self, exec: CUgraphExec) -> Option<Key> {
        self.with(|known| known.remove(&(exec.0 as usize)).map(Graph::key))
    }

    /// Costs a load while there are none.
    fn with(&self, change: impl FnOnce(&mut Table<usize, Graph>) -> Option<Key>) -> Option<Key> {
        if self.count.load(Relaxed) == 0 {
            return None;
        }
        let mut known = self.known.lock();
        let key = change(&mut known);
        self.count.store(known.len(), Relaxed);
        key
    }
}

impl Graph {
    /// No two graphs, and no two states of one, have the same key.
    fn new(before: Nanos) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { serial: NEXT.fetch_add(1, Relaxed), before }
    }

    fn key(self) -> Key {
        Key::of(self.serial, [u64::MAX, 0, u64::MAX])
    }
}
