//! What all workers together did, in memory that outlives each of them.

use cuda_sys::CUresult;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counters in memory that is shared with the workers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    requests: AtomicU64,
    granted: AtomicU64,
    refused: AtomicU64,
    surprises: AtomicU64,
    is_over: AtomicBool,
}

impl Tally {
    /// Counters that every process forked from this one shares.
    pub(crate) fn shared() -> io::Result<&'static Self> {
        let (length, access) = (size_of::<Self>(), libc::PROT_READ | libc::PROT_WRITE);
        let kind = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, which disturbs nothing.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a mapping of that length, never unmapped; all zeros are valid counters, which are atomic.
        Ok(unsafe { &*address.cast::<Self>() })
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    /// Calls that returned what no call here should.
    pub(crate) fn surprises(&self) -> u64 {
        self.surprises.load(Relaxed)
    }

    /// Counts a request with its result. Answers whether it was granted.
    pub(crate) fn count(&self, call: &str, result: CUresult) -> bool {
        self.requests.fetch_add(1, Relaxed);
        match result {
            CUresult::SUCCESS => self.granted.fetch_add(1, Relaxed),
            CUresult::OUT_OF_MEMORY => self.refused.fetch_add(1, Relaxed),
            other => {
                eprintln!("storm: {call} returned {}", other.0);
                self.surprises.fetch_add(1, Relaxed)
            }
        };
        result.is_success()
    }

    /// Tells the workers to end.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [requests, granted, refused, surprises] =
            [&self.requests, &self.granted, &self.refused, &self.surprises]
                .map(|counter| counter.load(Relaxed));
        write!(f, "{requests} requests, {granted} granted, {refused} refused, {surprises} surprises")
    }
}
