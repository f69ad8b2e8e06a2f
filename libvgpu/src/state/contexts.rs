//! The contexts this process was charged for.

use contract::Bytes;
use core::sync::atomic::{
    AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, fence,
};
use shared_region::DeviceIndex;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracker::{ContextId, Table};

/// A context that was charged for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) id: ContextId,
    pub(super) device: DeviceIndex,
}

/// What was charged for a context.
#[derive(Clone, Copy)]
pub(super) struct Charged {
    pub(super) context: Known,
    pub(super) bytes: Bytes,
}

/// Contexts by handle.
pub(crate) struct Contexts {
    charged: Mutex<Table<usize, Charged>>,
    /// How many have ended.
    ended: AtomicU64,
    /// How many have been recorded.
    recorded: AtomicU64,
    /// Contexts seen lately, by some bits of their handle, so that the usual caller takes no lock.
    recent: [Recent; RECENT],
}

/// More than most programs have contexts.
const RECENT: usize = 16;

/// A context's words, which only agree while `sequence` is even and the same before and after.
#[derive(Default)]
struct Recent {
    sequence: AtomicU64,
    handle: AtomicUsize,
    id: AtomicU64,
    device: AtomicUsize,
}

impl Default for Contexts {
    fn default() -> Self {
        Self {
            charged: Mutex::default(),
            ended: AtomicU64::new(0),
            recorded: AtomicU64::new(0),
            recent: Default::default(),
        }
    }
}

impl Contexts {
    /// The context with this handle; `None` if it has not been charged.
    #[inline]
    pub(super) fn find(&self, handle: usize) -> Option<Known> {
        self.recent(handle).read(handle).or_else(|| self.look_up(handle))
    }

    /// How many contexts have ended so far. A context found after this was read has not ended if it still is the same.
    pub(super) fn ended(&self) -> u64 {
        self.ended.load(Acquire)
    }

    /// Whether the context called `id` has not ended.
    pub(super) fn is_live(&self, id: ContextId) -> bool {
        self.lock().values().any(|charged| charged.context.id == id)
    }

    /// Records that `bytes` were charged for the context `handle`. `None` if it was known already; then nothing changes.
    pub(super) fn record(&self, device: DeviceIndex, handle: usize, bytes: Bytes) -> Option<Known> {
        match self.lock().entry(handle) {
            Entry::Occupied(_) => None,
            Entry::Vacant(vacant) => {
                let context = Known { id: ContextId(self.recorded.fetch_add(1, Relaxed) + 1), device };
                vacant.insert(Charged { context, bytes });
                Some(context)
            }
        }
    }

    /// Lets `name` be another handle of the context `handle`. False if that is not known or `name` is.
    pub(super) fn name(&self, name: usize, handle: usize) -> bool {
        let mut charged = self.lock();
        let Some(Charged { context, .. }) = charged.get(&handle).copied() else { return false };
        match charged.entry(name) {
            Entry::Occupied(_) => false,
            Entry::Vacant(vacant) => {
                vacant.insert(Charged { context, bytes: Bytes::ZERO });
                true
            }
        }
    }

    /// Forgets a further handle of a context, which goes on.
    pub(super) fn forget_name(&self, name: usize) {
        let mut charged = self.lock();
        if let Some(Charged { context, .. }) = charged.remove(&name) {
            self.forget_recent(context);
        }
    }

    /// Forgets the context `handle`, which has ended, by all its handles, and returns what was charged for it.
    pub(super) fn forget(&self, handle: usize) -> Option<Charged> {
        let mut charged = self.lock();
        let ended = charged.remove(&handle)?;
        charged.retain(|_, other| other.context.id != ended.context.id);
        self.forget_recent(ended.context);
        self.ended.fetch_add(1, Release);
        Some(ended)
    }

    /// Only to be called with the lock of the map held.
    fn forget_recent(&self, context: Known) {
        let seen = self.recent.iter().filter(|recent| recent.id.load(Relaxed) == context.id.0);
        seen.for_each(|recent| recent.write(0, context));
    }

    /// How many contexts on `device` are known, and what they were charged.
    pub(super) fn total(&self, device: DeviceIndex) -> (u64, Bytes) {
        let charged = self.lock();
        let on_device = charged.values().filter(|charged| charged.context.device == device);
        on_device
            .fold((0, Bytes::ZERO), |(count, sum), charged| (count + 1, sum.saturating_add(charged.bytes)))
    }

    #[cold]
    fn look_up(&self, handle: usize) -> Option<Known> {
        let charged = self.lock();
        let context = charged.get(&handle)?.context;
        self.recent(handle).write(handle, context);
        Some(context)
    }

    #[inline]
    fn recent(&self, handle: usize) -> &Recent {
        // Handles are addresses of allocations, whose lowest bits say little.
        let [first, ..] = &self.recent;
        self.recent.get((handle >> 6) % RECENT).unwrap_or(first)
    }

    fn lock(&self) -> MutexGuard<'_, Table<usize, Charged>> {
        self.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    #[inline]
    fn read(&self, handle: usize) -> Option<Known> {
        let before = self.sequence.load(Acquire);
        let is_it = self.handle.load(Relaxed) == handle;
        let id = ContextId(self.id.load(Relaxed));
        let device = self.device.load(Relaxed);
        fence(Acquire);
        let settled = before.is_multiple_of(2) && self.sequence.load(Relaxed) == before;
        if is_it && settled { Some(Known { id, device: DeviceIndex::new(device)? }) } else { None }
    }

    /// Only to be called with the lock of the map held.
    fn write(&self, handle: usize, Known { id, device }: Known) {
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence + 1, Relaxed);
        fence(Release);
        self.handle.store(handle, Relaxed);
        self.id.store(id.0, Relaxed);
        self.device.store(device.index(), Relaxed);
        self.sequence.store(sequence + 2, Release);
    }
}
