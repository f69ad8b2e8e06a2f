//! The map from device addresses to what was charged for them.

use crate::hasher::{AddressHash, spread};
use contract::Bytes;
use shared_region::DeviceIndex;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was charged for one device address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The device it was charged on.
    pub device: DeviceIndex,
    /// The handle of the context it belongs to, whose end is its end.
    pub context: usize,
    /// What was charged.
    pub bytes: Bytes,
}

const SHARDS: usize = 64;

/// The live allocations of this process.
///
/// Sharded by address: threads that allocate at the same time rarely meet, and no operation but
/// [`take_context`](Self::take_context) looks at more than one entry. Callers must not hold a call of the driver
/// inside one of ours; none of these functions calls out.
pub struct Allocations {
    shards: [Shard; SHARDS],
}

/// A shard on cache lines of its own.
#[repr(align(64))]
#[derive(Default)]
struct Shard(Mutex<HashMap<u64, Allocation, AddressHash>>);

impl Shard {
    /// A panic elsewhere cannot leave the map half changed, so a poisoned lock is as good as another.
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Allocation, AddressHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Allocations {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Shard::default()) }
    }
}

impl Allocations {
    /// Records that the driver returned `address`.
    ///
    /// Returns what was recorded there before: the driver hands out an address again only after it was freed, so that
    /// earlier allocation was freed in a way nobody saw, and its charge is to be given back.
    #[must_use]
    pub fn insert(&self, address: u64, allocation: Allocation) -> Option<Allocation> {
        self.shard(address).lock().insert(address, allocation)
    }

    /// Forgets `address` and returns what was charged for it.
    ///
    /// To be called before the driver frees it: afterwards another thread may already own the same address.
    pub fn remove(&self, address: u64) -> Option<Allocation> {
        self.shard(address).lock().remove(&address)
    }

    /// Forgets every allocation of `context` and passes each to `refund`.
    pub fn take_context(&self, context: usize, mut refund: impl FnMut(Allocation)) {
        for shard in &self.shards {
            shard.lock().retain(|_, allocation| {
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
        self.shards.iter().map(|shard| shard.lock().len()).sum()
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

    fn allocation(context: usize, bytes: u64) -> Allocation {
        Allocation { device: DeviceIndex::new(0).expect("device 0"), context, bytes: Bytes(bytes) }
    }

    #[test]
    fn what_is_inserted_is_removed_once() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(1, 512)), None);
        assert_eq!(map.remove(0x200), Some(allocation(1, 512)));
        assert_eq!(map.remove(0x200), None);
        assert!(map.is_empty());
    }

    #[test]
    fn an_address_freed_unseen_gives_its_charge_back_when_it_returns() {
        let map = Allocations::default();
        assert_eq!(map.insert(0x200, allocation(1, 512)), None);
        assert_eq!(map.insert(0x200, allocation(2, 1024)), Some(allocation(1, 512)));
        assert_eq!(map.len(), 1);
    }

    #[test]
    fn the_end_of_a_context_takes_its_allocations_and_no_others() {
        let map = Allocations::default();
        for index in 0..1000 {
            let context = 1 + index % 2;
            assert_eq!(map.insert(0x200 * u64::try_from(index).unwrap(), allocation(context, 1)), None);
        }
        let mut refunded = 0;
        map.take_context(1, |allocation| refunded += allocation.bytes.0);
        assert_eq!((refunded, map.len()), (500, 500));
    }

    #[test]
    fn addresses_of_any_granularity_spread_over_the_shards() {
        for granularity in [512, 1 << 16, 1 << 21, 1 << 30] {
            let map = Allocations::default();
            for index in 0..6400 {
                assert_eq!(map.insert(0x7f00_0000_0000 + index * granularity, allocation(1, 1)), None);
            }
            let fullest = map.shards.iter().map(|shard| shard.lock().len()).max();
            assert!(
                fullest < Some(400),
                "{fullest:?} of 6400 in one of {SHARDS} shards at granularity {granularity}"
            );
        }
    }
}
