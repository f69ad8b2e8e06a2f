//! The map from device addresses to what was charged for them.

use crate::hasher::{AddressHash, spread};
use contract::Bytes;
use shared_region::DeviceIndex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was charged for one device address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The device it was charged on.
    pub device: DeviceIndex,
    /// The context it belongs to, whose end is its end.
    pub context: ContextId,
    /// What was charged.
    pub bytes: Bytes,
}

/// A context of this process. Handles are used again after a context has ended; these are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextId(pub u64);

/// Tells an allocation from others that were or will be at the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationId(u64);

const SHARDS: usize = 64;

/// The live allocations of this process.
///
/// Sharded by address: threads that allocate at the same time rarely meet, and no operation but
/// [`take_context`](Self::take_context) looks at more than one entry. No function calls out while it holds a lock, and
/// no lock is to be held by a caller across a call of the driver.
///
/// The driver may hand an address out again before the thread that freed it has got round to saying so here. Therefore
/// an allocation is looked up before the driver frees it and removed afterwards, by its id: whoever is second, the one
/// who frees or the one who allocates anew, finds that the other has given the charge back.
pub struct Allocations {
    shards: Box<[Shard]>,
}

/// A shard on cache lines of its own.
#[repr(align(64))]
#[derive(Default)]
struct Shard(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_address: HashMap<u64, (AllocationId, Allocation), AddressHash>,
    inserted: u64,
}

impl Shard {
    /// A panic elsewhere cannot leave the map half changed, so a poisoned lock is as good as another.
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Allocations {
    fn default() -> Self {
        // One by one onto the heap: applications call from threads with very small stacks.
        Self { shards: std::iter::repeat_with(Shard::default).take(SHARDS).collect() }
    }
}

impl Allocations {
    /// Records that the driver returned `address`.
    ///
    /// Returns the id, and what was recorded there before: that has been freed, and its charge is to be given back.
    pub fn insert(&self, address: u64, allocation: Allocation) -> (AllocationId, Option<Allocation>) {
        let mut entries = self.shard(address).lock();
        entries.inserted += 1;
        let id = AllocationId(entries.inserted);
        let freed = entries.by_address.insert(address, (id, allocation));
        (id, freed.map(|(_, allocation)| allocation))
    }

    /// The allocation at `address`.
    pub fn find(&self, address: u64) -> Option<AllocationId> {
        self.shard(address).lock().by_address.get(&address).map(|(id, _)| *id)
    }

    /// Forgets `address` if the allocation there is still the one called `id`, and returns what was charged for it.
    pub fn remove(&self, address: u64, id: AllocationId) -> Option<Allocation> {
        let mut entries = self.shard(address).lock();
        match entries.by_address.entry(address) {
            Entry::Occupied(entry) if entry.get().0 == id => Some(entry.remove().1),
            _ => None,
        }
    }

    /// Forgets every allocation of `context` and passes each to `refund`.
    pub fn take_context(&self, context: ContextId, mut refund: impl FnMut(Allocation)) {
        for shard in &self.shards {
            shard.lock().by_address.retain(|_, (_, allocation)| {
                let keep = allocation.context != context;
                if !keep {
                    refund(*allocation);
                }
                keep
            });
        }
    }

    /// The number of live allocations.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().by_address.len()).sum()
    }

    /// Whether nothing is allocated.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, address: u64) -> &Shard {
        // The map inside the shard uses the lowest and highest bits of the same hash; these are others.
        let [.., byte, _, _, _] = spread(address).to_be_bytes();
        &self.shards[usize::from(byte) % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocation(context: u64, bytes: u64) -> Allocation {
        let device = DeviceIndex::new(0).expect("a region has a first device");
        Allocation { device, context: ContextId(context), bytes: Bytes(bytes) }
    }

    #[test]
    fn what_is_inserted_is_removed_once() {
        let map = Allocations::default();
        let (id, before) = map.insert(0x200, allocation(1, 512));
        assert_eq!((before, map.find(0x200)), (None, Some(id)));
        assert_eq!(map.remove(0x200, id), Some(allocation(1, 512)));
        assert_eq!((map.remove(0x200, id), map.find(0x200)), (None, None));
        assert!(map.is_empty());
    }

    #[test]
    fn a_slow_free_does_not_take_the_next_allocation_at_its_address() {
        let map = Allocations::default();
        let (old, _) = map.insert(0x200, allocation(1, 512));
        let (new, before) = map.insert(0x200, allocation(2, 1024));
        assert_eq!(before, Some(allocation(1, 512)));
        assert_eq!(map.remove(0x200, old), None);
        assert_eq!(map.remove(0x200, new), Some(allocation(2, 1024)));
    }

    #[test]
    fn the_end_of_a_context_takes_its_allocations_and_no_others() {
        let map = Allocations::default();
        for index in 0..1000 {
            map.insert(0x200 * index, allocation(1 + index % 2, 1));
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
                map.insert(0x7f00_0000_0000 + index * granularity, allocation(1, 1));
            }
            let fullest = map.shards.iter().map(|shard| shard.lock().by_address.len()).max();
            assert!(
                fullest < Some(400),
                "{fullest:?} of 6400 in one of {SHARDS} shards at granularity {granularity}"
            );
        }
    }
}
