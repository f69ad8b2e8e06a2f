//! The map from device addresses to what was charged for them.

use crate::packing::Packing;
use crate::shard::Shard;
use crate::spread::spread;
use contract::Bytes;
use shared_region::{BriefLock, DeviceIndex, Held};

/// What was charged for one device address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The device it was charged on.
    pub device: DeviceIndex,
    /// The context it belongs to, whose end is its end.
    pub context: ContextId,
    /// What was charged.
    pub bytes: Bytes,
    /// Whether its pages are on the device only where they are used, as those of managed memory are.
    pub is_paged: bool,
}

/// A context of this process. Handles are used again after a context has ended; these are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextId(pub u64);

const SHARDS: usize = 64;

/// The live allocations of this process.
///
/// Sharded by address: threads that allocate at the same time rarely meet, and no operation but
/// [`take_context`](Self::take_context) looks at more than one entry. No function calls out while it holds a lock, but for
/// `take_context`, and no lock is to be held by a caller across a call of the driver.
///
/// The driver may hand an address out again before the thread that freed it hears of that. Therefore an allocation is
/// taken from here *before* the driver frees it, and put back if the driver then does not: whatever is recorded
/// meanwhile is another allocation.
pub struct Allocations {
    shards: Box<[Aligned]>,
}

/// A shard on cache lines of its own.
#[repr(align(64))]
#[derive(Default)]
struct Aligned(BriefLock<Shard>);

impl Default for Allocations {
    fn default() -> Self {
        // One by one onto the heap: applications call from threads with very small stacks.
        Self { shards: std::iter::repeat_with(Aligned::default).take(SHARDS).collect() }
    }
}

impl Allocations {
    /// Records that the driver returned `address`.
    ///
    /// Returns what was recorded there before: that has been freed in a way nobody saw, and its charge is to be given back.
    #[must_use]
    pub fn insert(&self, address: u64, allocation: Allocation) -> Option<Allocation> {
        self.shard(address).insert(address, allocation)
    }

    /// Forgets `address`, which is about to be freed, and returns what is charged for it.
    pub fn take(&self, address: u64) -> Option<Allocation> {
        self.shard(address).take(address, |_| true)
    }

    /// Records again what was [taken](Self::take) and then not freed.
    ///
    /// Returns whether it is there; else another allocation is, so this one has been freed after all.
    #[must_use]
    pub fn put_back(&self, address: u64, allocation: Allocation) -> bool {
        let mut shard = self.shard(address);
        match shard.insert(address, allocation) {
            None => true,
            Some(other) => {
                shard.insert(address, other);
                false
            }
        }
    }

    /// Forgets `address` if the allocation there is one of `context`, which has ended, and returns what was charged for it.
    pub fn take_of_context(&self, address: u64, context: ContextId) -> Option<Allocation> {
        self.shard(address).take(address, |allocation| allocation.context == context)
    }

    /// Forgets every allocation of `context` and passes each to `refund`.
    pub fn take_context(&self, context: ContextId, mut refund: impl FnMut(Allocation)) {
        for Aligned(shard) in &self.shards {
            shard.lock().take_context(context, &mut refund);
        }
    }

    /// How the live allocations on `device` lie in its chunks. Looks at every entry.
    pub fn packing(&self, device: DeviceIndex) -> Packing {
        let mut packing = Packing::default();
        for Aligned(shard) in &self.shards {
            let shard = shard.lock();
            shard
                .allocations()
                .filter(|allocation| allocation.device == device)
                .for_each(|one| packing.add(one));
        }
        packing
    }

    /// The number of live allocations.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|Aligned(shard)| shard.lock().len()).sum()
    }

    /// Whether nothing is allocated.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, address: u64) -> Held<'_, Shard> {
        // The table inside the shard uses the lowest and highest bits of the same hash; these are others.
        let [.., byte, _, _, _] = spread(address).to_be_bytes();
        self.shards[usize::from(byte) % SHARDS].0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocation(context: u64, bytes: u64) -> Allocation {
        let device = DeviceIndex::new(0).expect("a region has a first device");
        Allocation { device, context: ContextId(context), bytes: Bytes(bytes), is_paged: false }
    }

    #[test]
    fn what_is_inserted_is_taken_once() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(1, 512)), None);
        assert_eq!(map.take(0x200), Some(allocation(1, 512)));
        assert_eq!(map.take(0x200), None);
        assert!(map.is_empty());
    }

    #[test]
    fn a_slow_free_does_not_take_the_next_allocation_at_its_address() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(1, 512)), None);
        let freed = map.take(0x200);
        assert_eq!(map.insert(0x200, allocation(2, 1024)), None);
        assert_eq!(freed, Some(allocation(1, 512)));
        assert_eq!(map.take(0x200), Some(allocation(2, 1024)));
    }

    #[test]
    fn an_address_that_is_returned_again_without_a_free_gives_the_first_charge_back() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(1, 512)), None);
        assert_eq!(map.insert(0x200, allocation(2, 1024)), Some(allocation(1, 512)));
        assert_eq!((map.take(0x200), map.len()), (Some(allocation(2, 1024)), 0));
    }

    #[test]
    fn what_was_not_freed_is_put_back_unless_its_address_has_a_new_owner() {
        let map = Allocations::default();
        assert!(map.put_back(0x200, allocation(1, 512)));
        assert!(!map.put_back(0x200, allocation(2, 1024)));
        assert_eq!(map.take(0x200), Some(allocation(1, 512)));
    }

    #[test]
    fn an_allocation_that_came_after_the_end_of_its_context_is_told_from_others_at_its_address() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(2, 512)), None);
        assert_eq!(map.take_of_context(0x200, ContextId(1)), None);
        assert_eq!(map.take_of_context(0x200, ContextId(2)), Some(allocation(2, 512)));
    }

    #[test]
    fn places_are_used_again() {
        let map = Allocations::default();
        for round in 0..64_000 {
            assert_eq!(map.insert(0x200 * round, allocation(1, round)), None);
            let oldest = round.checked_sub(64).and_then(|round| map.take(0x200 * round));
            assert_eq!(oldest.is_some(), round >= 64);
        }
        let most = map.shards.iter().map(|Aligned(shard)| shard.lock().places()).max();
        assert!(most < Some(64), "{most:?} places for 64 allocations");
    }

    #[test]
    fn the_end_of_a_context_takes_its_allocations_and_no_others() {
        let map = Allocations::default();
        for index in 0..1000 {
            assert_eq!(map.insert(0x200 * index, allocation(1 + index % 2, 1)), None);
        }
        let mut refunded = 0;
        map.take_context(ContextId(1), |allocation| refunded += allocation.bytes.0);
        assert_eq!((refunded, map.len()), (500, 500));
    }

    #[test]
    fn addresses_of_any_granularity_spread_over_the_shards() {
        for granularity in [512, 1 << 16, 1 << 21, 1 << 30] {
            let map = Allocations::default();
            for index in 0..6400 {
                assert_eq!(map.insert(0x7f00_0000_0000 + index * granularity, allocation(1, 1)), None);
            }
            let fullest = map.shards.iter().map(|Aligned(shard)| shard.lock().len()).max();
            assert!(
                fullest < Some(400),
                "{fullest:?} of 6400 in one of {SHARDS} shards at granularity {granularity}"
            );
        }
    }
}
