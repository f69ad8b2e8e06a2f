//! What a context is told to keep: limits and preferences. What is acted on is in `runtime`; the rest is remembered.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cuda_sys::{CUlimit, CUresult};

use crate::outcome::Outcome;

/// Limits of a context, by [`CUlimit`], with the values of a new context on a large device (sizes in bytes).
const LIMITS: [(CUlimit, usize); 7] = [
    (CUlimit::STACK_SIZE, 1 << 10),
    (CUlimit::PRINTF_FIFO_SIZE, 1 << 20),
    (CUlimit::MALLOC_HEAP_SIZE, 8 << 20),
    (CUlimit::DEV_RUNTIME_SYNC_DEPTH, 2),
    (CUlimit::DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048),
    (CUlimit::MAX_L2_FETCH_GRANULARITY, 64),
    (CUlimit::PERSISTING_L2_CACHE_SIZE, 0),
];

/// Limits and preferences of a context.
#[derive(Debug)]
pub(crate) struct Limits {
    values: [AtomicUsize; LIMITS.len()],
    /// `cuCtxSetCacheConfig`.
    pub(crate) cache_config: AtomicU32,
    /// `cuCtxSetSharedMemConfig`.
    pub(crate) shared_memory_config: AtomicU32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            values: LIMITS.map(|(_, value)| AtomicUsize::new(value)),
            cache_config: AtomicU32::new(0),
            // Banks of four bytes: the only size since compute capability 5.0.
            shared_memory_config: AtomicU32::new(1),
        }
    }
}

impl Limits {
    /// A limit; 215 for one that this architecture does not have.
    pub(crate) fn get(&self, limit: CUlimit) -> Outcome<usize> {
        Ok(self.value(limit)?.load(Ordering::Acquire))
    }

    /// Sets a limit.
    pub(crate) fn set(&self, limit: CUlimit, value: usize) -> Outcome {
        self.value(limit)?.store(value, Ordering::Release);
        Ok(())
    }

    fn value(&self, limit: CUlimit) -> Outcome<&AtomicUsize> {
        let unsupported = CUresult::UNSUPPORTED_LIMIT;
        let index = LIMITS.iter().position(|(known, _)| *known == limit).ok_or(unsupported)?;
        Ok(&self.values[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_what_it_was_set_to() {
        let limits = Limits::default();
        assert_eq!(limits.get(CUlimit::MALLOC_HEAP_SIZE), Ok(8 << 20));
        limits.set(CUlimit::MALLOC_HEAP_SIZE, 1 << 30).unwrap();
        assert_eq!(limits.get(CUlimit::MALLOC_HEAP_SIZE), Ok(1 << 30));
        assert_eq!(limits.get(CUlimit(99)), Err(CUresult::UNSUPPORTED_LIMIT));
    }
}
