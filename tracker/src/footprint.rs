//! How much memory a set of addresses needs behind it.

use contract::Bytes;

/// What device memory is mapped in, in bytes.
const PAGE: u64 = 2 << 20;

/// The memory behind ranges of addresses, each a start and a length in bytes: whole pages, once each. Of the allocations
/// of a graph, those that are never live together may have the same addresses.
#[must_use]
pub fn footprint(ranges: impl IntoIterator<Item = (u64, u64)>) -> Bytes {
    let pages = ranges.into_iter().map(|(start, length)| {
        let end = start.saturating_add(length);
        (start / PAGE, end.div_ceil(PAGE))
    });
    let mut pages: Vec<_> = pages.collect();
    pages.sort_unstable();
    let (mut count, mut covered) = (0, 0);
    for (first, end) in pages {
        count += end.saturating_sub(first.max(covered));
        covered = covered.max(end);
    }
    Bytes(PAGE.saturating_mul(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_take_whole_pages_and_shared_ones_once() {
        assert_eq!(footprint([]), Bytes(0));
        assert_eq!(footprint([(PAGE, 1)]), Bytes(PAGE));
        assert_eq!(footprint([(PAGE - 1, 2)]), Bytes(2 * PAGE));
        // The same addresses again, small neighbours in one page, and a range around another.
        assert_eq!(footprint([(0, PAGE), (0, 10)]), Bytes(PAGE));
        assert_eq!(footprint([(512, 512), (0, 512)]), Bytes(PAGE));
        assert_eq!(footprint([(0, 10 * PAGE), (PAGE, PAGE), (9 * PAGE, 2 * PAGE)]), Bytes(11 * PAGE));
    }

    #[test]
    fn sizes_that_no_device_has_do_not_wrap() {
        assert_eq!(footprint([(PAGE, u64::MAX)]).0, u64::MAX / PAGE * PAGE);
    }
}
