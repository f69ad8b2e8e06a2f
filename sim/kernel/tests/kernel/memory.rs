//! One card, several processes.

use sim_kernel::{AllocationRequest, Bytes, Fault, Kind, Location, Refusal};

use super::bed::{Bed, DEVICE, linear, truth};
use super::tenant::Tenant;

const OUT_OF_MEMORY: Fault = Fault::Refused(Refusal::OutOfMemory);

#[test]
fn the_last_chunk_of_the_card_is_granted_and_the_next_byte_refused() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let _other = Tenant::start(&bed, "hold 42949672960");
    let (client, context) = bed.tenant();
    let rest = client.memory(DEVICE).expect("a device").free;
    assert_eq!(rest, Bytes::from_mib(81_559 - 559 - 2 * 426 - 40 * 1024));
    assert_eq!(client.allocate(context.id, linear(rest + Bytes(1))), Err(OUT_OF_MEMORY));
    let all = client.allocate(context.id, linear(rest)).expect("exactly the rest");
    assert_eq!(client.allocate(context.id, linear(Bytes(1))), Err(OUT_OF_MEMORY));
    assert_eq!(truth(&observer).refused, 2);
    client.free(all.id).expect("a live allocation");
    assert_eq!(client.memory(DEVICE).map(|memory| memory.free), Ok(rest));
}

fn refused<T>(refusal: Refusal) -> Result<T, Fault> {
    Err(Fault::Refused(refusal))
}

#[test]
fn a_process_cannot_name_what_is_another_ones() {
    let bed = Bed::new();
    let (owner, context) = bed.tenant();
    let (stranger, _) = bed.tenant();
    let memory = owner.allocate(context.id, linear(Bytes(1))).expect("room");
    assert_eq!(stranger.free(memory.id), refused(Refusal::InvalidValue));
    assert_eq!(stranger.allocate(context.id, linear(Bytes(1))), refused(Refusal::InvalidContext));
    assert_eq!(stranger.destroy_context(context.id), refused(Refusal::InvalidContext));
    assert_eq!(stranger.query_stream(context.legacy_stream), refused(Refusal::InvalidHandle));
}

#[test]
fn managed_memory_is_on_the_device_only_where_it_was_used() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let (client, context) = bed.tenant();
    let request = AllocationRequest::Managed { bytes: Bytes::from_gib(200) };
    let managed = client.allocate(context.id, request).expect("managed memory of any size");
    let chunk = Bytes::from_mib(2);
    client.migrate(managed.id, Bytes::ZERO, chunk, Location::Device(DEVICE)).expect("a touch");
    let now = truth(&observer);
    assert_eq!((now.managed, now.managed_resident), (Bytes::from_gib(200), chunk));
}

#[test]
fn threads_that_race_for_the_last_memory_get_no_more_than_there_is() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let (client, context) = bed.tenant();
    let piece = Bytes::from_mib(512);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| while client.allocate(context.id, linear(piece)).is_ok() {});
        }
    });
    let now = truth(&observer);
    let free = client.memory(DEVICE).expect("a device").free;
    assert!(free < piece, "{free} were left");
    assert_eq!((now.refused, now.granted * piece.0), (8, now.requested.0));
}
