//! The address space of the process.

use std::collections::{BTreeMap, HashMap};

use sim_kernel::{AllocationId, Bytes, ContextId, PieceId, Placement, PoolPlacement, SlabId};

use super::allocation::{Allocation, Home, Kind};
use super::arena::{Access, Arena};
use super::reserved::Reserved;
use super::shared::Shared;

/// Addresses reserved for an arena, where the process may have so many. Far more than the largest machine holds.
const ARENA: u64 = 1 << 43;

/// Where addresses of 32 bits are tried: above what programs that are not relocated and their heaps use.
const LOW_PLACES: [u64; 3] = [0x8000_0000, 0xa000_0000, 0xc000_0000];
const LOW_SIZE: u64 = 0x2000_0000;

/// Alignment of addresses whose allocation shares a chunk.
const FINE: u64 = 512;

/// Addresses of a slab.
#[derive(Clone, Copy, Debug)]
struct Slab {
    start: u64,
    bytes: u64,
    home: Home,
}

/// The address space of the process.
#[derive(Debug)]
pub(crate) struct Space {
    pub(super) device: Arena,
    managed: Arena,
    /// Reserved when it is first needed.
    low: Option<Arena>,
    /// Granularity of device memory, the largest of all devices: allocations without a slab start at a multiple.
    pub(super) chunk: u64,
    allocations: BTreeMap<u64, Allocation>,
    slabs: HashMap<SlabId, Slab>,
    pub(super) reserved: Reserved,
    pub(super) shared: Shared,
}

impl Space {
    /// Reserves the address space; `None` when the process may not have it (`ulimit -v`).
    pub(crate) fn reserve(chunk: Bytes) -> Option<Self> {
        Some(Self {
            device: Arena::reserve(ARENA, Access::DeviceOnly)?,
            managed: Arena::reserve(ARENA, Access::Host)?,
            low: None,
            chunk: chunk.0,
            allocations: BTreeMap::new(),
            slabs: HashMap::new(),
            reserved: Reserved::default(),
            shared: Shared::default(),
        })
    }

    /// Gives addresses to what the machine has placed; `None` when there are none left for it.
    pub(crate) fn insert(&mut self, placement: &Placement, context: ContextId, kind: Kind) -> Option<u64> {
        let home = Home::Context(context);
        let (start, own) = match (kind, placement.slab) {
            (Kind::Device | Kind::Code | Kind::Array, Some(place)) => {
                (self.slab(place.slab, self.chunk, home)? + place.offset.0, 0)
            }
            _ => self.own_addresses(placement, kind)?,
        };
        let bytes = placement.bytes.0;
        let allocation = Allocation { start, bytes, id: placement.id, home, kind, own };
        self.allocations.insert(start, allocation);
        Some(start)
    }

    fn own_addresses(&mut self, placement: &Placement, kind: Kind) -> Option<(u64, u64)> {
        let step = if kind == Kind::Low { FINE } else { self.chunk };
        let own = placement.bytes.round_up(Bytes(step))?.0;
        let start = self.arena(kind)?.extents().take(own, step)?;
        Some((start, own))
    }

    /// Gives addresses to what the machine has placed in a pool; `None` when there are none left for it.
    pub(crate) fn insert_pooled(&mut self, placed: &PoolPlacement, home: Home) -> Option<u64> {
        for slab in &placed.gone {
            self.drop_slab(*slab);
        }
        let place = placed.placement.slab?;
        let start = self.slab(place.slab, placed.slab_bytes.0, home)? + place.offset.0;
        let (bytes, id) = (placed.placement.bytes.0, placed.placement.id);
        self.allocations.insert(start, Allocation { start, bytes, id, home, kind: Kind::Device, own: 0 });
        Some(start)
    }

    pub(super) fn insert_foreign(&mut self, allocation: Allocation) {
        self.allocations.insert(allocation.start, allocation);
    }

    /// Takes addresses of a device for a graph's allocation, and says how many; `None` when there are none left.
    pub(crate) fn reserve_for_graph(&mut self, bytes: Bytes, device: i32) -> Option<(u64, u64)> {
        let own = bytes.round_up(Bytes(self.chunk))?.0;
        let start = self.device.extents().take(own, self.chunk)?;
        // The machine knows of no allocation here: what it has for graphs is one amount.
        let (id, home, kind) = (AllocationId(0), Home::Graph { device }, Kind::Device);
        self.allocations.insert(start, Allocation { start, bytes: own, id, home, kind, own });
        Some((start, own))
    }

    fn slab(&mut self, slab: SlabId, bytes: u64, home: Home) -> Option<u64> {
        if let Some(known) = self.slabs.get(&slab) {
            return Some(known.start);
        }
        let start = self.device.extents().take(bytes, self.chunk)?;
        self.slabs.insert(slab, Slab { start, bytes, home });
        Some(start)
    }

    fn arena(&mut self, kind: Kind) -> Option<&mut Arena> {
        match kind {
            Kind::Device | Kind::Code | Kind::Array | Kind::Opened => Some(&mut self.device),
            Kind::Managed => Some(&mut self.managed),
            Kind::Low => {
                if self.low.is_none() {
                    self.low = LOW_PLACES
                        .iter()
                        .find_map(|place| Arena::reserve_at(*place..place.saturating_add(LOW_SIZE)));
                }
                self.low.as_mut()
            }
        }
    }

    /// The allocation that starts at `address`.
    pub(crate) fn starting_at(&self, address: u64) -> Option<&Allocation> {
        self.allocations.get(&address)
    }

    /// The allocation that `address` lies in.
    pub(crate) fn holding(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.allocations.range(..=address).next_back()?;
        (address - allocation.start < allocation.bytes).then_some(allocation)
    }

    /// Whether the address is one of a device, allocated or not.
    pub(crate) fn is_device_address(&self, address: u64) -> bool {
        let low = self.low.as_ref().is_some_and(|low| low.contains(address));
        low || self.device.contains(address) || self.managed.contains(address)
    }

    /// Where the contents of `length` bytes from `address` are, if they all lie in one allocation, or in mapped memory.
    pub(crate) fn contents(&self, address: u64, length: u64) -> Option<*mut u8> {
        let Some(allocation) = self.holding(address) else { return self.mapped_contents(address, length) };
        if length > allocation.bytes - (address - allocation.start) {
            return None;
        }
        let arena = match allocation.kind {
            Kind::Device | Kind::Code | Kind::Array | Kind::Opened => &self.device,
            Kind::Managed => &self.managed,
            Kind::Low => self.low.as_ref()?,
        };
        Some(arena.contents(address))
    }

    /// Forgets the allocation that starts at `address`; `emptied` is the slab that it left empty.
    pub(crate) fn remove(&mut self, address: u64, emptied: Option<SlabId>) {
        if let Some(allocation) = self.allocations.remove(&address) {
            self.release(allocation.start, allocation.own, allocation.kind);
        }
        if let Some(slab) = emptied {
            self.drop_slab(slab);
        }
    }

    fn drop_slab(&mut self, slab: SlabId) {
        if let Some(slab) = self.slabs.remove(&slab) {
            self.release(slab.start, slab.bytes, Kind::Device);
        }
    }

    /// Forgets everything that belongs to a context. Gives the memory of others that it had opened.
    pub(crate) fn remove_context(&mut self, context: ContextId) -> Vec<PieceId> {
        let (all, home) = (&mut self.allocations, Home::Context(context));
        let gone: Vec<_> = all.extract_if(.., |_, allocation| allocation.home == home).collect();
        for (start, allocation) in gone {
            self.release(start, allocation.own, allocation.kind);
        }
        let slabs: Vec<_> = self.slabs.extract_if(|_, slab| slab.home == home).collect();
        for (_, slab) in slabs {
            self.release(slab.start, slab.bytes, Kind::Device);
        }
        self.close_all(home)
    }

    fn release(&mut self, start: u64, length: u64, kind: Kind) {
        if length == 0 {
            return;
        }
        let was_shared = self.unpublish(start);
        let Some(arena) = self.arena(kind) else { return };
        if was_shared {
            // Others may go on with the contents. If the addresses cannot be parted from them, nobody gets these again.
            if arena.restore(start..start + length).is_none() {
                return;
            }
        } else if kind != Kind::Low {
            arena.discard(start, length);
        }
        arena.extents().give(start, length);
    }
}

#[cfg(test)]
mod tests {
    use sim_kernel::{AllocationId, SlabPlace};

    use super::*;

    const CHUNK: Bytes = Bytes::from_mib(2);
    const CONTEXT: ContextId = ContextId(1);

    fn space() -> Space {
        Space::reserve(CHUNK).unwrap()
    }

    fn large(id: u64, bytes: Bytes) -> Placement {
        Placement { id: AllocationId(id), bytes, taken: bytes, pitch: Bytes(0), slab: None }
    }

    fn small(id: u64, offset: u64) -> Placement {
        let slab = Some(SlabPlace { slab: SlabId(9), offset: Bytes(offset) });
        Placement { id: AllocationId(id), bytes: Bytes(100), taken: Bytes(0), pitch: Bytes(0), slab }
    }

    #[test]
    fn large_allocations_start_at_a_chunk_and_small_ones_share_one() {
        let mut space = space();
        let first = space.insert(&large(1, Bytes(1)), CONTEXT, Kind::Device).unwrap();
        let second = space.insert(&large(2, Bytes(1)), CONTEXT, Kind::Device).unwrap();
        assert_eq!((first % CHUNK.0, second), (0, first + CHUNK.0));
        let a = space.insert(&small(3, 0), CONTEXT, Kind::Device).unwrap();
        let b = space.insert(&small(4, 512), CONTEXT, Kind::Device).unwrap();
        assert_eq!(b, a + 512);
    }

    #[test]
    fn an_address_belongs_to_an_allocation_up_to_its_last_byte() {
        let mut space = space();
        let start = space.insert(&large(1, Bytes(1000)), CONTEXT, Kind::Device).unwrap();
        assert_eq!(space.holding(start + 999).map(|found| found.id), Some(AllocationId(1)));
        assert!(space.holding(start + 1000).is_none() && space.holding(start - 1).is_none());
        assert!(space.starting_at(start + 1).is_none());
        assert!(space.contents(start + 1, 999).is_some() && space.contents(start + 1, 1000).is_none());
        assert!(space.is_device_address(start + 1000));
    }

    #[test]
    fn freed_addresses_are_the_next_to_be_given() {
        let mut space = space();
        let first = space.insert(&large(1, CHUNK), CONTEXT, Kind::Device).unwrap();
        space.insert(&large(2, CHUNK), CONTEXT, Kind::Device).unwrap();
        space.remove(first, None);
        assert_eq!(space.insert(&large(3, CHUNK), CONTEXT, Kind::Device), Some(first));
    }

    #[test]
    fn an_emptied_slab_gives_its_addresses_back() {
        let mut space = space();
        let start = space.insert(&small(1, 0), CONTEXT, Kind::Device).unwrap();
        space.remove(start, Some(SlabId(9)));
        assert_eq!(space.insert(&large(2, CHUNK), CONTEXT, Kind::Device), Some(start));
    }

    #[test]
    fn low_addresses_fit_32_bits_whatever_slab_the_machine_chose() {
        let mut space = space();
        let high = space.insert(&small(1, 0), CONTEXT, Kind::Device).unwrap();
        let low = space.insert(&small(2, 512), CONTEXT, Kind::Low).unwrap();
        assert!(u32::try_from(high).is_err() && u32::try_from(low).is_ok());
        let next = space.insert(&small(3, 1024), CONTEXT, Kind::Low).unwrap();
        assert_eq!(next, low + 512);
        assert!(space.contents(low, 100).is_some());
    }

    #[test]
    fn a_context_takes_its_memory_along_and_no_other() {
        let mut space = space();
        let other = ContextId(2);
        let mine = space.insert(&large(1, CHUNK), CONTEXT, Kind::Device).unwrap();
        let kept = space.insert(&large(2, CHUNK), other, Kind::Managed).unwrap();
        let shared = space.insert(&small(3, 0), CONTEXT, Kind::Device).unwrap();
        space.remove_context(CONTEXT);
        assert!(space.holding(mine).is_none() && space.holding(shared).is_none());
        assert!(space.holding(kept).is_some());
        assert_eq!(space.insert(&large(4, CHUNK), other, Kind::Device), Some(mine));
    }
}
