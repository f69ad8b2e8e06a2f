//! How much memory a set of addresses needs behind it.

use crate::packing::CHUNK;
use contract::Bytes;

/// The memory behind ranges of addresses, each a start and a length in bytes: whole chunks, once each. Of the allocations
/// of a graph, those that are never live together may have the same addresses.
#[must_use]
pub fn footprint(ranges: impl IntoIterator<Item = (u64, u64)>) -> Bytes {
    let chunks = ranges.into_iter().map(|(start, length)| {
        let end = start.saturating_add(length);
        (start / CHUNK, end.div_ceil(CHUNK))
    });
    let mut chunks: Vec<_> = chunks.collect();
    chunks.sort_unstable();
    let (mut count, mut covered) = (0, 0);
    for (first, end) in chunks {
        count += end.saturating_sub(first.max(covered));
        covered = covered.max(end);
    }
    Bytes(CHUNK.saturating_mul(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_take_whole_chunks_and_shared_ones_once() {
        assert_eq!(footprint([]), Bytes(0));
        assert_eq!(footprint([(CHUNK, 1)]), Bytes(CHUNK));
        assert_eq!(footprint([(CHUNK - 1, 2)]), Bytes(2 * CHUNK));
        // The same addresses again, small neighbours in one chunk, and a range around another.
        assert_eq!(footprint([(0, CHUNK), (0, 10)]), Bytes(CHUNK));
        assert_eq!(footprint([(512, 512), (0, 512)]), Bytes(CHUNK));
        assert_eq!(footprint([(0, 10 * CHUNK), (CHUNK, CHUNK), (9 * CHUNK, 2 * CHUNK)]), Bytes(11 * CHUNK));
    }

    #[test]
    fn sizes_that_no_device_has_do_not_wrap() {
        assert_eq!(footprint([(CHUNK, u64::MAX)]).0, u64::MAX / CHUNK * CHUNK);
    }
}
