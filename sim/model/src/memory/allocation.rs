//! Allocations: how large they are, where they lie, and what they give back.

use super::ledger::{Charge, Class};
use super::physical::Origin;
use super::{Memory, position, slabs};
use crate::{
    AllocationId, AllocationRequest, Bytes, ContextId, DeviceIndex, Freed, Placement, PoolId, ProcessId,
    Refusal, SlabPlace,
};

/// Alignment of the rows of a pitched allocation.
const PITCH: Bytes = Bytes(512);

/// The most managed memory in one allocation: a bound on what a machine could page, so that a mistaken size is refused.
const MOST_MANAGED: Bytes = Bytes(16 << 40);

/// A live allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    pub(super) home: Home,
    pub(super) device: DeviceIndex,
    pub(super) charge: Charge,
    pub(super) backing: Backing,
}

/// What an allocation ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// A context.
    Context(ContextId),
    /// A pool, which no context takes along.
    Pool(PoolId),
}

/// What is behind an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backing {
    /// A part of a chunk shared with others.
    Slab(SlabPlace),
    /// Chunks of its own, of this size together.
    Chunks(Bytes),
    /// Pages that come and go.
    Pages,
}

/// A request with its arithmetic done.
struct Sized {
    bytes: Bytes,
    pitch: Bytes,
    class: Class,
}

/// # Errors
/// `InvalidValue` for a size of zero, `OutOfMemory` for one that does not fit 64 bits.
fn measure(request: AllocationRequest) -> Result<Sized, Refusal> {
    let sized = match request {
        AllocationRequest::Linear { bytes } => Sized { bytes, pitch: Bytes::ZERO, class: Class::Requested },
        AllocationRequest::Managed { bytes } => Sized { bytes, pitch: Bytes::ZERO, class: Class::Managed },
        AllocationRequest::Code { bytes } => Sized { bytes, pitch: Bytes::ZERO, class: Class::Code },
        AllocationRequest::Runtime { bytes } => Sized { bytes, pitch: Bytes::ZERO, class: Class::Runtime },
        AllocationRequest::Pitched { row, rows } => {
            let pitch = row.round_up(PITCH).ok_or(Refusal::OutOfMemory)?;
            let bytes = pitch.0.checked_mul(rows).map(Bytes).ok_or(Refusal::OutOfMemory)?;
            Sized { bytes, pitch, class: Class::Requested }
        }
    };
    if sized.bytes == Bytes::ZERO { Err(Refusal::InvalidValue) } else { Ok(sized) }
}

impl Memory {
    /// Allocates on the device of a context, which is the caller's to have checked.
    ///
    /// # Errors
    /// `InvalidContext`, `InvalidValue` for a size of zero, `OutOfMemory`.
    pub(crate) fn allocate(
        &mut self,
        context: ContextId,
        request: AllocationRequest,
    ) -> Result<Placement, Refusal> {
        let holder = self.contexts.get(&context).ok_or(Refusal::InvalidContext)?;
        let (process, device) = (holder.process, holder.device);
        let found = measure(request).and_then(|sized| Ok((self.back(context, &sized)?, sized)));
        let ledger = &mut self.devices[position(device)].ledger;
        if let Err(Refusal::OutOfMemory) = found {
            ledger.refused += 1;
        }
        let ((backing, taken), sized) = found?;
        let charge = Charge { process, bytes: sized.bytes, class: sized.class };
        ledger.charge(charge);
        let id = self.next_allocation();
        self.allocations.insert(id, Allocation { home: Home::Context(context), device, charge, backing });
        if let Some(holder) = self.contexts.get_mut(&context) {
            holder.allocations.insert(id);
        }
        let slab = if let Backing::Slab(place) = backing { Some(place) } else { None };
        Ok(Placement { id, bytes: sized.bytes, taken, pitch: sized.pitch, slab })
    }

    /// Frees an allocation of this process.
    ///
    /// # Errors
    /// `InvalidValue` when it has none of that name.
    pub(crate) fn free(&mut self, process: ProcessId, allocation: AllocationId) -> Result<Freed, Refusal> {
        let owned = self.allocations.get(&allocation).is_some_and(|held| held.charge.process == process);
        if owned { self.release(allocation).ok_or(Refusal::InvalidValue) } else { Err(Refusal::InvalidValue) }
    }

    /// Finds memory for a request, and says how much of the device's that took.
    fn back(&mut self, context: ContextId, sized: &Sized) -> Result<(Backing, Bytes), Refusal> {
        let holder = self.contexts.get(&context).ok_or(Refusal::InvalidContext)?;
        let (process, device) = (holder.process, holder.device);
        let memory = &self.devices[position(device)];
        if sized.class == Class::Managed && memory.on_demand {
            let fits = sized.bytes <= MOST_MANAGED;
            return if fits { Ok((Backing::Pages, Bytes::ZERO)) } else { Err(Refusal::OutOfMemory) };
        }
        if sized.bytes <= slabs::LARGEST && !matches!(sized.class, Class::Managed | Class::Runtime) {
            let (place, taken) = self.place_in_slab(context, sized.bytes)?;
            return Ok((Backing::Slab(place), taken));
        }
        let chunks = sized.bytes.round_up(memory.chunk).ok_or(Refusal::OutOfMemory)?;
        self.take(device, process, chunks)?;
        Ok((Backing::Chunks(chunks), chunks))
    }

    fn place_in_slab(&mut self, context: ContextId, bytes: Bytes) -> Result<(SlabPlace, Bytes), Refusal> {
        let footprint = slabs::footprint(bytes).ok_or(Refusal::OutOfMemory)?;
        let holder = self.contexts.get_mut(&context).ok_or(Refusal::InvalidContext)?;
        if let Some(place) = holder.slabs.place(footprint) {
            return Ok((place, Bytes::ZERO));
        }
        let (process, device) = (holder.process, holder.device);
        let chunk = self.devices[position(device)].chunk;
        self.take(device, process, chunk)?;
        let slab = self.next_slab();
        let holder = self.contexts.get_mut(&context).ok_or(Refusal::InvalidContext)?;
        holder.slabs.grow(slab, chunk);
        // A new slab holds the largest small request, so this is never a refusal.
        holder.slabs.place(footprint).map(|place| (place, chunk)).ok_or(Refusal::OutOfMemory)
    }

    /// Ends an allocation, whoever owns it; `None` when there is none of that name.
    pub(super) fn release(&mut self, id: AllocationId) -> Option<Freed> {
        let allocation = self.allocations.remove(&id)?;
        let Allocation { home, device, charge, backing } = allocation;
        let context = match (home, backing) {
            (Home::Context(context), _) => context,
            (Home::Pool(pool), Backing::Slab(place)) => {
                self.devices[position(device)].ledger.refund(charge);
                self.give_to_pool(pool, place, charge.bytes);
                return Some(Freed { returned: Bytes::ZERO, slab: None });
            }
            // Memory of a pool is always a part of one of its slabs.
            (Home::Pool(_), _) => return None,
        };
        let holder = self.contexts.get_mut(&context)?;
        holder.allocations.remove(&id);
        let process = charge.process;
        let freed = match backing {
            Backing::Chunks(bytes) => {
                Freed { returned: self.return_memory(device, process, Origin::Chunks(id), bytes), slab: None }
            }
            Backing::Slab(SlabPlace { slab, .. }) => {
                let emptied = self.empty_slab(context, backing, charge.bytes)?;
                let back = |bytes| self.return_memory(device, process, Origin::Slab(slab), bytes);
                Freed { returned: emptied.map_or(Bytes::ZERO, back), slab: emptied.map(|_| slab) }
            }
            Backing::Pages => Freed { returned: self.page_out_all(id), slab: None },
        };
        self.devices[position(device)].ledger.refund(charge);
        Some(freed)
    }

    /// Gives a place back to the slab of its context; the size of the slab if that has emptied it.
    fn empty_slab(&mut self, context: ContextId, place: Backing, bytes: Bytes) -> Option<Option<Bytes>> {
        let (Backing::Slab(place), holder) = (place, self.contexts.get_mut(&context)?) else { return None };
        let size = holder.slabs.size(place.slab)?;
        let emptied = holder.slabs.release(place, slabs::footprint(bytes)?);
        if emptied {
            holder.slabs.shrink(place.slab);
        }
        Some(emptied.then_some(size))
    }

    /// Which memory an allocation has, how much that is, and where in it the allocation begins.
    pub(super) fn origin_of(&self, id: AllocationId, held: &Allocation) -> Option<(Origin, Bytes, Bytes)> {
        match held.backing {
            Backing::Chunks(bytes) => Some((Origin::Chunks(id), bytes, Bytes::ZERO)),
            Backing::Slab(place) => {
                let size = match held.home {
                    Home::Context(context) => self.contexts.get(&context)?.slabs.size(place.slab)?,
                    Home::Pool(pool) => self.slab_of_pool(pool, place.slab)?,
                };
                Some((Origin::Slab(place.slab), size, place.offset))
            }
            Backing::Pages => None,
        }
    }
}
