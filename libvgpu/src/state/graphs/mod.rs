//! Graphs that allocate: what they need at a launch, and what is charged for it. Not an allocation is charged but what the
//! driver has taken from the device for all graphs of the process, and what it keeps after they have ended stays charged.

mod nodes;
mod store;

use super::device::Device;
use super::member::Member;
use super::place::Place;
use contract::Bytes;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Release};
use cuda_sys::{CUdevice, CUgraph, CUgraphExec, CUresult};
use shared_region::{BriefLock, DeviceIndex};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tracker::{Growth, Table, footprint};

pub(crate) use store::Store;

/// The graphs of a process that allocate.
pub(crate) struct Graphs {
    /// Those that can be launched, by the driver's handle.
    execs: BriefLock<Table<usize, Arc<GraphExec>>>,
    /// By the place of their device in the region.
    stores: Box<[OnceLock<Arc<Store>>]>,
    /// How the driver's memory for graphs grows.
    pub(crate) growth: BriefLock<Growth>,
    /// Whether there has been one. Until then, a launch costs a load.
    are_used: AtomicBool,
}

/// A graph that can be launched and allocates.
pub(crate) struct GraphExec {
    pub(crate) needs: Vec<Need>,
}

/// What a graph needs of one device.
pub(crate) struct Need {
    pub(crate) store: Arc<Store>,
    /// What all its allocations take, as their addresses say.
    pub(crate) bytes: Bytes,
    /// The number of trims after which it was mapped last; 0 for never.
    mapped: AtomicU64,
}

impl Need {
    /// Whether the driver should not have to take anything for it.
    pub(crate) fn is_met(&self) -> bool {
        self.mapped.load(Acquire) == self.store.trims() || self.store.idle() >= self.bytes
    }

    /// It was launched or uploaded after so many `trims`.
    pub(crate) fn is_mapped(&self, trims: u64) {
        self.mapped.store(trims, Release);
    }
}

impl Default for Graphs {
    fn default() -> Self {
        Self {
            execs: BriefLock::default(),
            stores: std::iter::repeat_with(OnceLock::new).take(DeviceIndex::COUNT).collect(),
            growth: BriefLock::default(),
            are_used: AtomicBool::new(false),
        }
    }
}

impl Graphs {
    /// Whether there is anything to look after.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        self.are_used.load(Acquire)
    }

    /// The graph with this handle, if it allocates.
    #[inline]
    pub(crate) fn find(&self, handle: CUgraphExec) -> Option<Arc<GraphExec>> {
        if self.are_used() { self.execs.lock().get(&(handle.0 as usize)).cloned() } else { None }
    }

    /// The driver has made `graph` ready for launching, and calls it so.
    pub(crate) fn record(&self, handle: CUgraphExec, graph: GraphExec) {
        if graph.needs.is_empty() {
            self.take(handle);
            return;
        }
        self.are_used.store(true, Release);
        self.execs.lock().insert(handle.0 as usize, Arc::new(graph));
    }

    /// Forgets a graph and returns what was known of it.
    fn take(&self, handle: CUgraphExec) -> Option<Arc<GraphExec>> {
        if self.are_used() { self.execs.lock().remove(&(handle.0 as usize)) } else { None }
    }

    fn stores(&self) -> impl Iterator<Item = &Arc<Store>> {
        self.stores.iter().filter_map(OnceLock::get)
    }

    fn store(&self, ordinal: CUdevice) -> Option<Arc<Store>> {
        let Place { device, .. } = Place::on(ordinal).ok().flatten()?;
        let store = self.stores.get(device.index.index())?;
        Some(Arc::clone(store.get_or_init(|| Arc::new(Store::of(ordinal, device)))))
    }
}

impl Member {
    /// What a launch of `graph` needs, asked of the driver node by node.
    pub(crate) fn graph_needs(&self, graph: CUgraph) -> GraphExec {
        let mut ranges = BTreeMap::<CUdevice, Vec<(u64, u64)>>::new();
        for allocated in nodes::allocations(graph) {
            ranges.entry(allocated.device).or_default().push((allocated.address, allocated.bytes));
        }
        let need = |(ordinal, ranges)| {
            let store = self.graphs.store(ordinal)?;
            Some(Need { store, bytes: footprint(ranges), mapped: AtomicU64::new(0) })
        };
        GraphExec { needs: ranges.into_iter().filter_map(need).collect() }
    }

    /// Has the driver end the graph `handle`, whose memory stays.
    pub(crate) fn end_graph(&self, handle: CUgraphExec, call: impl FnOnce() -> CUresult) -> CUresult {
        // Forgotten before, because the driver may call a new one so at once.
        let known = self.graphs.take(handle);
        let result = call();
        if let Some(known) = known.filter(|_| !result.is_success()) {
            self.graphs.execs.lock().insert(handle.0 as usize, known);
        }
        result
    }

    /// Has the driver give memory of graphs on the device it calls `ordinal` back.
    pub(crate) fn graphs_trimmed(&self, ordinal: CUdevice, call: impl FnOnce() -> CUresult) -> CUresult {
        let used = if self.graphs.are_used() { self.graphs.store(ordinal) } else { None };
        let Some(store) = used else { return call() };
        let _gate = store.alone();
        store.trimmed(&self.account, call)
    }

    /// Makes the charge for graphs what the driver says that it has for them.
    pub(super) fn reconcile_graphs(&self) {
        self.graphs.stores().for_each(|store| store.reconcile(&self.account));
    }

    /// Has what graphs hold of `device` and do not use given back, if then there `is_room`.
    pub(super) fn trim_graphs<T>(&self, device: &Device, is_room: impl Fn() -> Option<T>) -> Option<T> {
        let store = self.graphs.stores.get(device.index.index())?.get()?;
        {
            let _gate = store.alone();
            store.trim(&self.account);
        }
        is_room()
    }
}
