//! What is launched, as the throttle sees it.

use crate::stream::Stream;
use cuda_sys::CUgraphExec;
use policy::compute::Nanos;
use tracker::golden_product;

/// By what launches are told apart: those of the same key cost about the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(u64);

/// A piece of work for a device.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(super) subject: Subject,
    pub(super) stream: Stream,
    /// What it costs at least, as long as nothing of its key was measured.
    pub(super) least_cost: Nanos,
}

/// What tells the key.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// It is known.
    Known(Key),
    /// The graph does, as it is now.
    Graph(CUgraphExec),
}

impl Key {
    /// Mixes `handle` and what else tells launches of it apart.
    #[inline]
    pub(crate) fn of(handle: u64, words: [u64; 3]) -> Self {
        let mix = |hash: u64, word: u64| golden_product(hash.rotate_left(29) ^ word);
        Self(words.into_iter().fold(golden_product(handle), mix))
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

impl Work {
    /// A launch of a kernel.
    #[inline]
    pub(crate) const fn kernel(key: Key, stream: Stream) -> Self {
        Self { subject: Subject::Known(key), stream, least_cost: Nanos::ZERO }
    }

    /// A launch of a graph.
    pub(crate) const fn graph(exec: CUgraphExec, stream: Stream) -> Self {
        Self { subject: Subject::Graph(exec), stream, least_cost: Nanos::ZERO }
    }

    /// A fill of so many bytes. Fills of about the same size are of one key.
    pub(crate) fn fill(bytes: u64, stream: Stream) -> Self {
        /// No current card writes more in a microsecond.
        const BYTES_IN_A_MICROSECOND: u64 = 8_000_000;
        // Four sizes from one power of two to the next.
        let size = bytes >> bytes.max(8).ilog2().saturating_sub(2) | u64::from(bytes.max(8).ilog2()) << 8;
        let least_cost = Nanos::from_micros(bytes / BYTES_IN_A_MICROSECOND);
        Self { subject: Subject::Known(Key::of(size, [u64::MAX; 3])), stream, least_cost }
    }
}
