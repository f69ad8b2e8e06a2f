//! The contexts this process was charged for.

use contract::Bytes;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use shared_region::DeviceIndex;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Contexts by handle, with their device and what was charged.
pub(crate) struct Contexts {
    charged: Mutex<HashMap<usize, (DeviceIndex, Bytes)>>,
    /// For each device the context seen last, so that the usual caller takes no lock.
    last: [AtomicUsize; DeviceIndex::COUNT],
}

impl Default for Contexts {
    fn default() -> Self {
        Self { charged: Mutex::default(), last: [const { AtomicUsize::new(0) }; DeviceIndex::COUNT] }
    }
}

impl Contexts {
    /// Whether `context` of `device` has been charged.
    #[inline]
    pub(crate) fn knows(&self, device: DeviceIndex, context: usize) -> bool {
        let Some(last) = self.last.get(device.index()) else { return false };
        last.load(Relaxed) == context || {
            let known = self.lock().contains_key(&context);
            if known {
                last.store(context, Relaxed);
            }
            known
        }
    }

    /// Records that `bytes` were charged for `context`. Answers false if it was known already; then nothing changes.
    #[must_use]
    pub(crate) fn record(&self, device: DeviceIndex, context: usize, bytes: Bytes) -> bool {
        let mut charged = self.lock();
        let is_new = !charged.contains_key(&context);
        if is_new {
            charged.insert(context, (device, bytes));
        }
        is_new
    }

    /// Forgets `context` and returns what was charged for it.
    pub(crate) fn forget(&self, context: usize) -> Option<(DeviceIndex, Bytes)> {
        let mut charged = self.lock();
        for last in &self.last {
            let _ = last.compare_exchange(context, 0, Relaxed, Relaxed);
        }
        charged.remove(&context)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, (DeviceIndex, Bytes)>> {
        self.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
