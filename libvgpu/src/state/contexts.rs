//! The contexts this process was charged for.

use contract::Bytes;
use core::sync::atomic::{
    AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, fence,
};
use shared_region::DeviceIndex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracker::ContextId;

/// What was charged for a context.
#[derive(Clone, Copy)]
pub(super) struct Charged {
    pub(super) id: ContextId,
    pub(super) device: DeviceIndex,
    pub(super) bytes: Bytes,
}

/// Contexts by handle.
pub(crate) struct Contexts {
    charged: Mutex<HashMap<usize, Charged>>,
    /// How many have ended.
    ended: AtomicU64,
    /// How many have been recorded.
    recorded: AtomicU64,
    /// For each device the context seen last, so that the usual caller takes no lock.
    last: Box<[Last]>,
}

/// A handle and its id, which only agree while `sequence` is even and the same before and after.
#[derive(Default)]
struct Last {
    sequence: AtomicU64,
    handle: AtomicUsize,
    id: AtomicU64,
}

impl Default for Contexts {
    fn default() -> Self {
        Self {
            charged: Mutex::default(),
            ended: AtomicU64::new(0),
            recorded: AtomicU64::new(0),
            last: std::iter::repeat_with(Last::default).take(DeviceIndex::COUNT).collect(),
        }
    }
}

impl Contexts {
    /// The id of the context `handle` of `device`; `None` if it has not been charged.
    #[inline]
    pub(super) fn find(&self, device: DeviceIndex, handle: usize) -> Option<ContextId> {
        let last = self.last.get(device.index())?;
        last.read()
            .filter(|(known, _)| *known == handle)
            .map(|(_, id)| id)
            .or_else(|| self.look_up(last, handle))
    }

    /// How many contexts have ended so far. A context found after this was read has not ended if it still is the same.
    pub(super) fn ended(&self) -> u64 {
        self.ended.load(Acquire)
    }

    /// Whether the context called `id` has not ended.
    pub(super) fn is_live(&self, id: ContextId) -> bool {
        self.lock().values().any(|context| context.id == id)
    }

    /// Records that `bytes` were charged for the context `handle`. `None` if it was known already; then nothing changes.
    pub(super) fn record(&self, device: DeviceIndex, handle: usize, bytes: Bytes) -> Option<ContextId> {
        match self.lock().entry(handle) {
            Entry::Occupied(_) => None,
            Entry::Vacant(vacant) => {
                let id = ContextId(self.recorded.fetch_add(1, Relaxed) + 1);
                vacant.insert(Charged { id, device, bytes });
                Some(id)
            }
        }
    }

    /// Forgets the context `handle`, which has ended, and returns what was charged for it.
    pub(super) fn forget(&self, handle: usize) -> Option<Charged> {
        let mut charged = self.lock();
        let context = charged.remove(&handle)?;
        for last in &self.last {
            if last.handle.load(Relaxed) == handle {
                last.write(0, ContextId(0));
            }
        }
        self.ended.fetch_add(1, Release);
        Some(context)
    }

    #[cold]
    fn look_up(&self, last: &Last, handle: usize) -> Option<ContextId> {
        let charged = self.lock();
        let id = charged.get(&handle)?.id;
        last.write(handle, id);
        Some(id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Charged>> {
        self.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Last {
    #[inline]
    fn read(&self) -> Option<(usize, ContextId)> {
        let before = self.sequence.load(Acquire);
        let value = (self.handle.load(Relaxed), ContextId(self.id.load(Relaxed)));
        fence(Acquire);
        let settled = before.is_multiple_of(2) && self.sequence.load(Relaxed) == before;
        settled.then_some(value)
    }

    /// Only to be called with the lock of the map held.
    fn write(&self, handle: usize, id: ContextId) {
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence + 1, Relaxed);
        fence(Release);
        self.handle.store(handle, Relaxed);
        self.id.store(id.0, Relaxed);
        self.sequence.store(sequence + 2, Release);
    }
}
