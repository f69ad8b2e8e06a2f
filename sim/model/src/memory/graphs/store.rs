//! What a process has of a device for its graphs, and how it grows and shrinks.

use std::collections::BTreeMap;

use super::super::ledger::Gauge;
use super::super::{Memory, position};
use crate::{Bytes, DeviceIndex, ProcessId, Refusal, StreamId};

/// Whose, and of which device.
pub(super) type Key = (ProcessId, DeviceIndex);

/// What one process has of one device for its graphs.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    /// Bound to no stream.
    pub(super) cached: Bytes,
    pub(super) bound: BTreeMap<StreamId, Bytes>,
    /// Of allocations that outlive the launch they were made by.
    pub(super) kept: Bytes,
    pub(super) reserved: Gauge,
    pub(super) used: Gauge,
}

impl Store {
    pub(super) fn bound_to(&self, stream: StreamId) -> Bytes {
        self.bound.get(&stream).copied().unwrap_or_default()
    }

    pub(super) fn bind(&mut self, stream: StreamId, bytes: Bytes) {
        *self.bound.entry(stream).or_default() += bytes;
    }

    /// Unbinds what is more than `keep` of a stream.
    pub(super) fn unbind(&mut self, stream: StreamId, keep: Bytes) {
        let Some(bound) = self.bound.get_mut(&stream) else { return };
        self.cached += bound.saturating_sub(keep);
        *bound = (*bound).min(keep);
        if *bound == Bytes::ZERO {
            self.bound.remove(&stream);
        }
    }
}

impl Memory {
    /// Sees to it that `bytes` are cached.
    pub(super) fn grow_store(&mut self, key: Key, bytes: Bytes) -> Result<(), Refusal> {
        let (process, device) = key;
        let cached = self.graphs.stores.entry(key).or_default().cached;
        let more = bytes.saturating_sub(cached);
        if more == Bytes::ZERO {
            return Ok(());
        }
        self.take(device, process, more)?;
        self.devices[position(device)].ledger.reserve_for_graphs(process, more);
        let store = self.graphs.stores.entry(key).or_default();
        store.cached += more;
        store.reserved.rise(more);
        Ok(())
    }

    /// Gives back what is cached.
    pub(super) fn shrink_store(&mut self, key @ (process, device): Key) {
        let Some(store) = self.graphs.stores.get_mut(&key) else { return };
        let bytes = std::mem::take(&mut store.cached);
        store.reserved.fall(bytes);
        let ledger = &mut self.devices[position(device)].ledger;
        ledger.unreserve_of_graphs(process, bytes);
        ledger.give_back(process, bytes);
    }

    /// Unbinds from idle streams other than `but` what is more than they have to `keep`.
    pub(super) fn unbind_idle(
        &mut self,
        key: Key,
        but: StreamId,
        is_idle: impl Fn(StreamId) -> bool,
        keep: impl Fn(&Self, Key, StreamId) -> Bytes,
    ) {
        let Some(store) = self.graphs.stores.get(&key) else { return };
        let idle: Vec<_> =
            store.bound.keys().filter(|stream| **stream != but && is_idle(**stream)).copied().collect();
        for stream in idle {
            let keep = keep(self, key, stream);
            if let Some(store) = self.graphs.stores.get_mut(&key) {
                store.unbind(stream, keep);
            }
        }
    }
}
