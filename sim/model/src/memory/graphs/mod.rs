//! Memory of graphs: what their allocation nodes need at a launch, what stays for the next one, and what outlives it.
//!
//! A process has one store a device. A launch in a stream binds as much of it to that stream as the graph needs; graphs
//! that are launched in the same stream never run at the same time, so they share that. An allocation that a graph does
//! not free itself is kept apart until somebody frees it. Nothing goes back to the device but by a trim.

mod store;

use std::collections::BTreeMap;

use super::{Memory, position};
use crate::{Bytes, DeviceIndex, GraphExecId, GraphMemory, ProcessId, Refusal, StreamId};
use store::{Key, Store};

/// The memory of every graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graphs {
    execs: BTreeMap<GraphExecId, Exec>,
    stores: BTreeMap<Key, Store>,
    last: u64,
}

/// A graph that can be launched, as far as its memory goes.
#[derive(Clone, Copy, Debug)]
struct Exec {
    process: ProcessId,
    device: DeviceIndex,
    /// What its allocation nodes need together.
    need: Bytes,
    /// Where its memory was bound last.
    stream: Option<StreamId>,
}

impl Graphs {
    /// What the largest graph needs that is bound to a stream.
    fn need_in(&self, (process, device): Key, stream: StreamId) -> Bytes {
        let there =
            |exec: &&Exec| (exec.process, exec.device, exec.stream) == (process, device, Some(stream));
        self.execs.values().filter(there).map(|exec| exec.need).max().unwrap_or_default()
    }

    /// Notes what of a store is mapped by some graph, or kept.
    fn note_use(&mut self, key: Key) {
        let Some(store) = self.stores.get(&key) else { return };
        let bound = store.bound.iter().map(|(stream, bytes)| self.need_in(key, *stream).min(*bytes).0);
        let used = Bytes(store.kept.0 + bound.sum::<u64>());
        if let Some(store) = self.stores.get_mut(&key) {
            store.used.set(used);
        }
    }
}

impl Memory {
    /// A graph of which `need` bytes of a device are needed at a launch can be launched from now on.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub(crate) fn open_graph(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        need: Bytes,
    ) -> Result<GraphExecId, Refusal> {
        let memory = self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        let need = need.round_up(memory.chunk).ok_or(Refusal::OutOfMemory)?;
        self.graphs.last += 1;
        let id = GraphExecId(self.graphs.last);
        self.graphs.execs.insert(id, Exec { process, device, need, stream: None });
        Ok(id)
    }

    /// It cannot be launched any more. What it used stays for others.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub(crate) fn close_graph(&mut self, process: ProcessId, id: GraphExecId) -> Result<(), Refusal> {
        let exec = self.owned_graph(process, id)?;
        self.graphs.execs.remove(&id);
        self.graphs.note_use((process, exec.device));
        Ok(())
    }

    /// Binds to a stream what a graph needs there. What streams have that are idle makes room.
    ///
    /// # Errors
    /// `InvalidHandle`, `OutOfMemory`.
    pub(crate) fn map_graph(
        &mut self,
        process: ProcessId,
        id: GraphExecId,
        stream: StreamId,
        is_idle: impl Fn(StreamId) -> bool,
    ) -> Result<(), Refusal> {
        let Exec { device, need, .. } = self.owned_graph(process, id)?;
        let key = (process, device);
        let missing = need.saturating_sub(self.graphs.stores.entry(key).or_default().bound_to(stream));
        self.unbind_idle(key, stream, &is_idle, Self::mapped);
        if self.grow_store(key, missing).is_err() {
            self.unbind_idle(key, stream, &is_idle, |_, _, _| Bytes::ZERO);
            if self.grow_store(key, missing).is_err() {
                self.devices[position(device)].ledger.refused += 1;
                self.graphs.note_use(key);
                return Err(Refusal::OutOfMemory);
            }
        }
        if let Some(store) = self.graphs.stores.get_mut(&key) {
            store.cached -= missing;
            store.bind(stream, missing);
        }
        if let Some(exec) = self.graphs.execs.get_mut(&id) {
            exec.stream = Some(stream);
        }
        self.graphs.note_use(key);
        Ok(())
    }

    /// Of what a graph has bound to a stream, so much outlives its launch there.
    pub(crate) fn keep_of_graph(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        stream: StreamId,
        bytes: Bytes,
    ) {
        let Some(store) = self.graphs.stores.get_mut(&(process, device)) else { return };
        let kept = store.bound_to(stream).min(bytes);
        let rest = store.bound_to(stream) - kept;
        store.unbind(stream, rest);
        store.cached -= kept;
        store.kept += kept;
        self.graphs.note_use((process, device));
    }

    /// Memory that outlived its launch is freed: in a stream, which can use it again at once, or for all.
    ///
    /// # Errors
    /// `InvalidValue` when not so much is kept.
    pub(crate) fn free_of_graph(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        stream: Option<StreamId>,
        bytes: Bytes,
    ) -> Result<(), Refusal> {
        let store = self.graphs.stores.get_mut(&(process, device)).filter(|store| store.kept >= bytes);
        let store = store.ok_or(Refusal::InvalidValue)?;
        store.kept -= bytes;
        match stream {
            Some(stream) => store.bind(stream, bytes),
            None => store.cached += bytes,
        }
        self.graphs.note_use((process, device));
        Ok(())
    }

    /// What a process has of a device for its graphs.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub(crate) fn graph_memory(
        &self,
        process: ProcessId,
        device: DeviceIndex,
    ) -> Result<GraphMemory, Refusal> {
        self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        let store = self.graphs.stores.get(&(process, device)).cloned().unwrap_or_default();
        let Store { reserved, used, .. } = store;
        Ok(GraphMemory {
            reserved: reserved.now,
            reserved_peak: reserved.peak,
            used: used.now,
            used_peak: used.peak,
        })
    }

    /// Begins the peaks anew: of what is reserved, of what is used.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub(crate) fn reset_graph_peaks(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        (reserved, used): (bool, bool),
    ) -> Result<(), Refusal> {
        self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        let store = self.graphs.stores.entry((process, device)).or_default();
        for (gauge, _) in
            [(&mut store.reserved, reserved), (&mut store.used, used)].into_iter().filter(|of| of.1)
        {
            gauge.peak = gauge.now;
        }
        Ok(())
    }

    /// Gives back to a device what no running graph uses and nobody has kept.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub(crate) fn trim_graphs(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        is_idle: impl Fn(StreamId) -> bool,
    ) -> Result<(), Refusal> {
        self.devices.get(position(device)).ok_or(Refusal::InvalidDevice)?;
        let key = (process, device);
        let Some(store) = self.graphs.stores.get_mut(&key) else { return Ok(()) };
        for stream in store.bound.keys().copied().collect::<Vec<_>>() {
            if is_idle(stream) {
                store.unbind(stream, Bytes::ZERO);
            }
        }
        self.shrink_store(key);
        self.graphs.note_use(key);
        Ok(())
    }

    /// A process is gone with its graphs.
    pub(crate) fn close_graphs(&mut self, process: ProcessId) {
        self.graphs.execs.retain(|_, exec| exec.process != process);
        let gone: Vec<_> = self.graphs.stores.keys().filter(|key| key.0 == process).copied().collect();
        for key in gone {
            if let Some(store) = self.graphs.stores.get_mut(&key) {
                store.cached = store.reserved.now;
            }
            self.shrink_store(key);
            self.graphs.stores.remove(&key);
        }
    }

    /// What graphs still have mapped in a stream.
    fn mapped(&self, key: Key, stream: StreamId) -> Bytes {
        self.graphs.need_in(key, stream)
    }

    fn owned_graph(&self, process: ProcessId, id: GraphExecId) -> Result<Exec, Refusal> {
        let exec = self.graphs.execs.get(&id).filter(|exec| exec.process == process);
        exec.copied().ok_or(Refusal::InvalidHandle)
    }
}
