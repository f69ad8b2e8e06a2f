//! How a driver's memory holds what was asked for, and what that says of the memory that nobody asked for by size.
//!
//! The driver tells how much of a device a process has. That is what the process asked for, rounded as the driver rounds,
//! and what it never asked for: contexts, code, stacks, heaps. The difference is the [`Unseen`].

use crate::Allocation;
use contract::Bytes;

/// What the drivers known give device memory out in, in bytes.
pub(crate) const CHUNK: u64 = 2 << 20;

/// The largest allocation that shares a chunk with others.
const LARGEST_SMALL: u64 = 1 << 20;

/// How the allocations of one device lie in its chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// What is left over in the chunks of allocations that have their own.
    slack: u64,
    /// Bytes of allocations that share chunks, and how many these are.
    small: u64,
    smalls: u64,
    /// Bytes whose pages come and go: no driver counts them as a process's.
    paged: u64,
}

/// What a process holds beyond what it asked for by size: from `least` to `most` bytes, which differ where nobody can know
/// how allocations share chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    least: u64,
    most: u64,
}

impl Packing {
    /// Takes an allocation in.
    pub(crate) fn add(&mut self, allocation: &Allocation) {
        let Bytes(bytes) = allocation.bytes;
        if allocation.is_paged {
            self.paged = self.paged.saturating_add(bytes);
        } else if bytes <= LARGEST_SMALL {
            self.small = self.small.saturating_add(bytes);
            self.smalls += 1;
        } else {
            self.slack = self.slack.saturating_add(rounded(bytes) - bytes);
        }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            slack: self.slack.saturating_add(other.slack),
            small: self.small.saturating_add(other.small),
            smalls: self.smalls.saturating_add(other.smalls),
            paged: self.paged.saturating_add(other.paged),
        }
    }

    /// What chunks that allocations share may hold unused for a while, until more of these are freed.
    #[must_use]
    pub fn waste(&self) -> Bytes {
        Bytes(self.smalls.saturating_mul(CHUNK))
    }

    /// What `tracked` bytes that were asked for take at least.
    #[must_use]
    pub fn resident(&self, tracked: Bytes) -> Bytes {
        Bytes(self.alone(tracked).saturating_add(rounded(self.small)))
    }

    /// What they take in chunks of their own.
    fn alone(&self, tracked: Bytes) -> u64 {
        tracked.0.saturating_sub(self.paged).saturating_sub(self.small).saturating_add(self.slack)
    }

    /// What is unseen of a process that has `figure` bytes by what the driver says, asked for `tracked` bytes, and has
    /// `contexts` contexts, each of which shares chunks among its own allocations only.
    ///
    /// `None` if the figure is less than what was asked for takes: it is not about this process, or not of this moment.
    #[must_use]
    pub fn unseen(&self, figure: Bytes, tracked: Bytes, contexts: u64) -> Option<Unseen> {
        let alone = self.alone(tracked);
        let packed = rounded(self.small);
        // Of the chunks that are shared half may be unused: more is waste, which is charged like anything else.
        let doubled = rounded(self.small.saturating_mul(2))
            .saturating_add(contexts.saturating_sub(1).saturating_mul(CHUNK));
        let spread = doubled.min(self.smalls.saturating_mul(CHUNK)).max(packed);
        let most = figure.0.checked_sub(alone.saturating_add(packed))?;
        Some(Unseen { least: figure.0.saturating_sub(alone.saturating_add(spread)), most })
    }
}

impl Unseen {
    /// What to charge, where `charged` is charged so far: that, as far as it can be true.
    #[must_use]
    pub fn settle(self, Bytes(charged): Bytes) -> Bytes {
        Bytes(charged.clamp(self.least, self.most))
    }
}

/// `bytes` in whole chunks.
const fn rounded(bytes: u64) -> u64 {
    match bytes.checked_next_multiple_of(CHUNK) {
        Some(rounded) => rounded,
        None => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContextId;
    use shared_region::DeviceIndex;

    const MIB: u64 = 1 << 20;
    const CONTEXT: u64 = 426 * MIB;

    fn packing(sizes: &[u64], is_paged: bool) -> Packing {
        let device = DeviceIndex::new(0).unwrap();
        let mut packing = Packing::default();
        for bytes in sizes.iter().copied().map(Bytes) {
            packing.add(&Allocation { device, context: ContextId(1), bytes, is_paged });
        }
        packing
    }

    fn settled(packing: Packing, figure: u64, tracked: u64, charged: u64) -> Option<u64> {
        packing.unseen(Bytes(figure), Bytes(tracked), 1).map(|unseen| unseen.settle(Bytes(charged)).0)
    }

    #[test]
    fn whole_chunks_leave_nothing_open() {
        let packing = packing(&[4 * MIB, 2 * MIB], false);
        for charged in [0, CONTEXT, 2 * CONTEXT] {
            assert_eq!(settled(packing, CONTEXT + 6 * MIB, 6 * MIB, charged), Some(CONTEXT));
        }
    }

    #[test]
    fn rounding_is_no_memory_that_anybody_took_unseen() {
        let packing = packing(&[2 * MIB + 1], false);
        assert_eq!(settled(packing, CONTEXT + 4 * MIB, 2 * MIB + 1, 0), Some(CONTEXT));
    }

    #[test]
    fn what_is_packed_in_two_maps_is_packed_as_in_one() {
        let sizes = [2 * MIB + 1, 3 * MIB, 1000, 70_000];
        assert_eq!(packing(&sizes[..1], false).and(packing(&sizes[1..], false)), packing(&sizes, false));
    }

    #[test]
    fn small_allocations_may_share_chunks_or_not() {
        let (size, asked) = (700 << 10, 2100 << 10);
        let packing = packing(&[size; 3], false);
        for chunks in 2..=3 {
            assert_eq!(settled(packing, CONTEXT + chunks * 2 * MIB, asked, CONTEXT), Some(CONTEXT));
        }
        let code = 64 * MIB;
        let seen = settled(packing, CONTEXT + code + 4 * MIB, asked, CONTEXT).unwrap();
        assert!((CONTEXT + code - 2 * MIB..=CONTEXT + code).contains(&seen), "{seen}");
    }

    #[test]
    fn many_small_allocations_do_not_hide_more_than_themselves() {
        let packing = packing(&[1000; 4000], false);
        let growth = 100 * MIB;
        let seen = settled(packing, CONTEXT + growth + 4 * MIB, 4_000_000, CONTEXT).unwrap();
        assert!(seen >= CONTEXT + growth - 8 * MIB, "{seen}");
    }

    #[test]
    fn pages_of_managed_memory_are_not_looked_for_in_the_figure() {
        let packing = packing(&[300 * MIB], true);
        assert_eq!(settled(packing, CONTEXT, 300 * MIB, 0), Some(CONTEXT));
    }

    #[test]
    fn a_figure_below_what_was_asked_for_says_nothing() {
        let packing = packing(&[4 * MIB], false);
        assert_eq!(settled(packing, 4 * MIB - 1, 4 * MIB, CONTEXT), None);
    }
}
