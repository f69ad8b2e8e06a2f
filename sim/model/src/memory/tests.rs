//! Single cases; properties over random histories are beside them.

use super::*;
use crate::{AllocationRequest, Location, MachineConfig, Placement};

pub(super) const DEVICE: DeviceIndex = DeviceIndex(0);
const MIB: Bytes = Bytes::from_mib(1);
const CHUNK: Bytes = Bytes::from_mib(2);

/// A device of 64 MiB on which a context takes 4 MiB.
pub(super) fn small_device(count: usize) -> Memory {
    let mut config = MachineConfig::with_devices(count);
    for card in &mut config.devices {
        card.total = Bytes::from_mib(66);
        card.reserved = Bytes::from_mib(2);
        card.context_overhead = Bytes::from_mib(4);
    }
    Memory::new(&config.describe().expect("a small machine"))
}

/// The same with a context of process 1.
fn with_context() -> (Memory, ContextId) {
    let mut memory = small_device(1);
    memory.open_context(ContextId(1), ProcessId(1), DEVICE).expect("room for a context");
    (memory, ContextId(1))
}

fn linear(memory: &mut Memory, context: ContextId, bytes: Bytes) -> Result<Placement, Refusal> {
    memory.allocate(context, AllocationRequest::Linear { bytes })
}

fn managed(memory: &mut Memory, context: ContextId, bytes: Bytes) -> AllocationId {
    memory.allocate(context, AllocationRequest::Managed { bytes }).expect("managed memory").id
}

fn free_of(memory: &Memory) -> Bytes {
    memory.info(DEVICE).expect("a device").free
}

fn to_device(memory: &mut Memory, id: AllocationId, bytes: Bytes) {
    memory.migrate(ProcessId(1), id, (Bytes::ZERO, bytes), Location::Device(DEVICE)).expect("a prefetch");
}

#[test]
fn a_context_takes_its_overhead_and_is_refused_without_room() {
    let (mut memory, context) = with_context();
    assert_eq!(free_of(&memory), Bytes::from_mib(60));
    linear(&mut memory, context, Bytes::from_mib(58)).expect("room");
    let refused = memory.open_context(ContextId(2), ProcessId(2), DEVICE);
    assert_eq!(refused, Err(Refusal::OutOfMemory));
    assert_eq!(memory.ledger(DEVICE).map(|ledger| (ledger.refused, ledger.contexts)), Some((1, 1)));
    let nowhere = memory.open_context(ContextId(2), ProcessId(2), DeviceIndex(1));
    assert_eq!(nowhere, Err(Refusal::InvalidDevice));
}

#[test]
fn large_requests_take_whole_chunks_and_the_last_one_fits_exactly() {
    let (mut memory, context) = with_context();
    let placed = linear(&mut memory, context, MIB + Bytes(1)).expect("room");
    assert_eq!((placed.taken, placed.slab), (CHUNK, None));
    linear(&mut memory, context, Bytes::from_mib(58)).expect("exactly the rest");
    assert_eq!(free_of(&memory), Bytes::ZERO);
    assert_eq!(linear(&mut memory, context, Bytes(1)), Err(Refusal::OutOfMemory));
}

#[test]
fn ten_thousand_small_allocations_cost_about_their_sum() {
    let (mut memory, context) = with_context();
    let before = free_of(&memory);
    let ids: Vec<_> =
        (0..10_000).map(|_| linear(&mut memory, context, Bytes(1024)).expect("room").id).collect();
    assert_eq!(before - free_of(&memory), Bytes::from_mib(10));
    for id in ids {
        memory.free(ProcessId(1), id).expect("a live allocation");
    }
    assert_eq!(free_of(&memory), before);
}

#[test]
fn a_slab_is_reused_and_reported_once_it_is_empty() {
    let (mut memory, context) = with_context();
    let first = linear(&mut memory, context, Bytes(700)).expect("room");
    let second = linear(&mut memory, context, Bytes(700)).expect("room");
    let slab = first.slab.expect("a small allocation").slab;
    assert_eq!(second.slab.map(|place| (place.slab, place.offset)), Some((slab, Bytes(1024))));
    assert_eq!((first.taken, second.taken), (CHUNK, Bytes::ZERO));
    let freed = memory.free(ProcessId(1), first.id).expect("live");
    assert_eq!((freed.returned, freed.slab), (Bytes::ZERO, None));
    let freed = memory.free(ProcessId(1), second.id).expect("live");
    assert_eq!((freed.returned, freed.slab), (CHUNK, Some(slab)));
}

#[test]
fn contexts_do_not_share_slabs() {
    let (mut memory, first) = with_context();
    memory.open_context(ContextId(2), ProcessId(2), DEVICE).expect("room");
    let one = linear(&mut memory, first, Bytes(1)).expect("room").slab.expect("small").slab;
    let other = linear(&mut memory, ContextId(2), Bytes(1)).expect("room").slab.expect("small").slab;
    assert_ne!(one, other);
}

#[test]
fn rows_start_at_multiples_of_512_bytes() {
    let (mut memory, context) = with_context();
    let request = AllocationRequest::Pitched { row: Bytes(1000), rows: 3000 };
    let placed = memory.allocate(context, request).expect("room");
    assert_eq!((placed.pitch, placed.bytes, placed.taken), (Bytes(1024), Bytes(3_072_000), CHUNK + CHUNK));
}

#[test]
fn sizes_that_overflow_are_out_of_memory_and_sizes_of_zero_invalid() {
    let (mut memory, context) = with_context();
    let huge = Bytes(u64::MAX);
    for request in [
        AllocationRequest::Linear { bytes: huge },
        AllocationRequest::Managed { bytes: huge },
        AllocationRequest::Pitched { row: huge, rows: 1 },
        AllocationRequest::Pitched { row: Bytes(512), rows: u64::MAX },
    ] {
        assert_eq!(memory.allocate(context, request), Err(Refusal::OutOfMemory), "{request:?}");
    }
    for request in [
        AllocationRequest::Linear { bytes: Bytes::ZERO },
        AllocationRequest::Pitched { row: Bytes(4), rows: 0 },
        AllocationRequest::Pitched { row: Bytes::ZERO, rows: 4 },
    ] {
        assert_eq!(memory.allocate(context, request), Err(Refusal::InvalidValue), "{request:?}");
    }
    assert_eq!(memory.ledger(DEVICE).map(|ledger| ledger.refused), Some(4));
}

#[test]
fn a_double_free_and_another_processes_memory_are_invalid() {
    let (mut memory, context) = with_context();
    let id = linear(&mut memory, context, CHUNK).expect("room").id;
    assert_eq!(memory.free(ProcessId(2), id), Err(Refusal::InvalidValue));
    memory.free(ProcessId(1), id).expect("live");
    assert_eq!(memory.free(ProcessId(1), id), Err(Refusal::InvalidValue));
}

#[test]
fn closing_a_context_returns_everything_but_keeps_the_peaks() {
    let (mut memory, context) = with_context();
    for bytes in [Bytes(1), MIB, CHUNK + MIB] {
        linear(&mut memory, context, bytes).expect("room");
    }
    let pages = managed(&mut memory, context, CHUNK);
    to_device(&mut memory, pages, CHUNK);
    let peak = memory.ledger(DEVICE).expect("a device").resident.now;
    memory.close_context(context);
    let ledger = memory.ledger(DEVICE).expect("a device");
    assert_eq!((ledger.resident.now, ledger.requested.now, ledger.charged.now), Default::default());
    assert_eq!((ledger.allocations, ledger.contexts, ledger.holdings().count()), (0, 0, 0));
    assert_eq!(ledger.resident.peak, peak);
}

#[test]
fn managed_memory_takes_room_only_where_it_is_used() {
    let (mut memory, context) = with_context();
    let id = managed(&mut memory, context, Bytes::from_gib(1));
    assert_eq!(free_of(&memory), Bytes::from_mib(60));
    to_device(&mut memory, id, CHUNK + Bytes(1));
    assert_eq!(free_of(&memory), Bytes::from_mib(56));
    memory.migrate(ProcessId(1), id, (Bytes::ZERO, CHUNK), Location::Host).expect("a prefetch to the host");
    assert_eq!(free_of(&memory), Bytes::from_mib(58));
    assert_eq!(memory.free(ProcessId(1), id).map(|freed| freed.returned), Ok(CHUNK));
    assert_eq!(free_of(&memory), Bytes::from_mib(60));
}

#[test]
fn the_tail_of_managed_memory_takes_pages_of_64_kib() {
    let (mut memory, context) = with_context();
    let id = managed(&mut memory, context, Bytes(1000));
    to_device(&mut memory, id, Bytes(1000));
    assert_eq!(free_of(&memory), Bytes::from_mib(60) - Bytes::from_kib(64));
}

#[test]
fn managed_memory_makes_room_oldest_first_and_is_never_refused() {
    let (mut memory, context) = with_context();
    let (old, young) = (managed(&mut memory, context, CHUNK), managed(&mut memory, context, CHUNK));
    to_device(&mut memory, old, CHUNK);
    to_device(&mut memory, young, CHUNK);
    linear(&mut memory, context, Bytes::from_mib(58)).expect("the older managed block makes room");
    assert_eq!(memory.residency.get((old, 0)), None);
    assert!(memory.residency.get((young, 0)).is_some());
    linear(&mut memory, context, CHUNK).expect("and then the younger");
    to_device(&mut memory, old, CHUNK);
    assert_eq!(memory.residency.get((old, 0)), None, "there is no room, so it stays on the host");
    assert_eq!(linear(&mut memory, context, Bytes(1)), Err(Refusal::OutOfMemory));
}

#[test]
fn a_refused_request_moves_no_managed_memory() {
    let (mut memory, context) = with_context();
    let id = managed(&mut memory, context, CHUNK);
    to_device(&mut memory, id, CHUNK);
    assert_eq!(linear(&mut memory, context, Bytes::from_mib(62)), Err(Refusal::OutOfMemory));
    assert!(memory.residency.get((id, 0)).is_some());
}

#[test]
fn a_touch_of_more_than_the_device_holds_fills_it_with_the_last_blocks() {
    let (mut memory, context) = with_context();
    let id = managed(&mut memory, context, Bytes::from_gib(8));
    to_device(&mut memory, id, Bytes::from_gib(8));
    assert_eq!(free_of(&memory), Bytes::ZERO);
    assert!(memory.residency.get((id, 4095)).is_some());
    assert_eq!(memory.residency.get((id, 0)), None);
}

#[test]
fn managed_memory_moves_from_one_device_to_another() {
    let mut memory = small_device(2);
    memory.open_context(ContextId(1), ProcessId(1), DEVICE).expect("room");
    let id = managed(&mut memory, ContextId(1), CHUNK);
    to_device(&mut memory, id, CHUNK);
    let other = Location::Device(DeviceIndex(1));
    memory.migrate(ProcessId(1), id, (Bytes::ZERO, CHUNK), other).expect("a prefetch");
    assert_eq!(free_of(&memory), Bytes::from_mib(60));
    assert_eq!(memory.info(DeviceIndex(1)).map(|info| info.used), Some(CHUNK));
    let nowhere = Location::Device(DeviceIndex(2));
    let refused = memory.migrate(ProcessId(1), id, (Bytes::ZERO, CHUNK), nowhere);
    assert_eq!(refused, Err(Refusal::InvalidDevice));
}

#[test]
fn ranges_outside_of_managed_memory_are_invalid() {
    let (mut memory, context) = with_context();
    let id = managed(&mut memory, context, CHUNK);
    let plain = linear(&mut memory, context, CHUNK).expect("room").id;
    for (id, range) in
        [(id, (Bytes(1), CHUNK)), (id, (Bytes(u64::MAX), Bytes(2))), (plain, (Bytes(0), Bytes(1)))]
    {
        let refused = memory.migrate(ProcessId(1), id, range, Location::Host);
        assert_eq!(refused, Err(Refusal::InvalidValue), "{range:?}");
    }
}
