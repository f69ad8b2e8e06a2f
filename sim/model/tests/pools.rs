//! Stream-ordered memory: what is reserved, used again and given back, and when.

use sim_model::{
    AllocationRequest, Bytes, Context, DeviceIndex, Kernel, Machine, MachineConfig, Nanos, Operation,
    Permille, PoolId, PoolPlacement, ProcessId, Refusal, StreamId, StreamKind,
};

const DEVICE: DeviceIndex = DeviceIndex(0);
const MIB: Bytes = Bytes::from_mib(1);
const STEP: Bytes = Bytes::from_mib(32);

struct Bench {
    machine: Machine,
    process: ProcessId,
    context: Context,
    stream: StreamId,
    pool: PoolId,
}

/// A machine of one device of `mib` MiB, of which a context has been taken already.
fn bench(mib: u64) -> Bench {
    let mut config = MachineConfig::default();
    config.devices[0].context_overhead = Bytes::from_mib(4);
    config.devices[0].reserved = Bytes::from_mib(2);
    config.devices[0].total = Bytes::from_mib(mib + 6);
    let mut machine = Machine::new(&config, Nanos(0)).expect("a small machine");
    let process = machine.attach(1);
    let context = machine.create_context(process, DEVICE).expect("room");
    let stream = machine.create_stream(process, context.id, StreamKind::NonBlocking).expect("a stream");
    let pool = machine.create_pool(process, DEVICE, None).expect("a pool");
    Bench { machine, process, context, stream, pool }
}

impl Bench {
    fn allocate(&mut self, stream: StreamId, bytes: Bytes) -> Result<PoolPlacement, Refusal> {
        self.machine.allocate_from_pool(self.process, self.pool, stream, bytes)
    }

    fn free(&mut self, placed: &PoolPlacement, stream: StreamId) {
        self.machine.free_in_stream(self.process, placed.placement.id, stream).expect("a live allocation");
    }

    /// Reserved and used.
    fn held(&self) -> (Bytes, Bytes) {
        let state = self.machine.pool(self.process, self.pool).expect("a pool");
        (state.reserved, state.used)
    }

    fn keep_busy(&mut self, stream: StreamId, micros: u64) {
        let kernel =
            Kernel { duration: Nanos::from_micros(micros), sm: Permille::WHOLE, memory: Permille(0) };
        self.machine.enqueue(self.process, stream, Operation::Kernel(kernel)).expect("a queued kernel");
    }

    fn free_on_device(&self) -> Bytes {
        self.machine.memory(DEVICE).expect("a device").free
    }
}

#[test]
fn a_pool_grows_in_steps_and_small_allocations_share_one() {
    let mut bench = bench(256);
    let stream = bench.stream;
    let first = bench.allocate(stream, Bytes(1)).expect("room");
    assert_eq!((first.placement.taken, first.slab_bytes, bench.held()), (STEP, STEP, (STEP, Bytes(512))));
    let second = bench.allocate(stream, MIB).expect("room");
    assert_eq!(second.placement.taken, Bytes::ZERO);
    bench.allocate(stream, Bytes::from_mib(33)).expect("room");
    assert_eq!(bench.held().0, STEP + Bytes::from_mib(34));
    assert_eq!(bench.machine.truth().devices[0].pooled, STEP + Bytes::from_mib(34));
    assert_eq!(bench.machine.truth().devices[0].charged_peak, Bytes::from_mib(4 + 32 + 34));
}

#[test]
fn unused_memory_goes_back_at_a_synchronisation_above_the_threshold_only() {
    let mut bench = bench(256);
    let (stream, process, pool) = (bench.stream, bench.process, bench.pool);
    let held: Vec<_> = (0..3).map(|_| bench.allocate(stream, STEP).expect("room")).collect();
    bench.machine.set_threshold(process, pool, Bytes::from_mib(60)).expect("a pool");
    for placed in &held {
        bench.free(placed, stream);
    }
    assert_eq!(bench.held(), (Bytes::from_mib(96), Bytes::ZERO));
    bench.machine.synchronised(process);
    assert_eq!(bench.held().0, Bytes::from_mib(64), "one more slab less would be below the threshold");
    bench.machine.trim_pool(process, pool, Bytes(1)).expect("a pool");
    assert_eq!(bench.held().0, STEP);
    bench.machine.trim_pool(process, pool, Bytes::ZERO).expect("a pool");
    assert_eq!(bench.free_on_device(), Bytes::from_mib(256));
    let state = bench.machine.pool(process, pool).expect("a pool");
    assert_eq!((state.reserved_peak, state.used_peak), (Bytes::from_mib(96), Bytes::from_mib(96)));
    let next = bench.allocate(stream, MIB).expect("room");
    assert_eq!(next.gone.len(), 3, "whose addresses can be dropped");
}

#[test]
fn a_stream_uses_again_what_it_freed_at_once_and_another_when_the_stream_came_to_it() {
    let mut bench = bench(64);
    let stream = bench.stream;
    let other = bench.machine.create_stream(bench.process, bench.context.id, StreamKind::NonBlocking);
    let other = other.expect("a stream");
    let all = bench.allocate(stream, Bytes::from_mib(64)).expect("room");
    bench.keep_busy(stream, 100);
    bench.free(&all, stream);
    assert_eq!(bench.allocate(other, MIB), Err(Refusal::OutOfMemory), "a kernel may still use it");
    let again = bench.allocate(stream, MIB).expect("the stream's own");
    assert_eq!(again.placement.slab, all.placement.slab);
    bench.machine.synchronised(bench.process);
    assert_eq!(bench.held().0, Bytes::from_mib(64));
    bench.machine.advance(Nanos::from_micros(100));
    bench.allocate(other, Bytes::from_mib(63)).expect("free by now");
}

#[test]
fn unused_memory_of_a_pool_makes_room_for_other_requests_of_its_process() {
    let mut bench = bench(64);
    let stream = bench.stream;
    let placed = bench.allocate(stream, Bytes::from_mib(64)).expect("room");
    let linear = AllocationRequest::Linear { bytes: Bytes::from_mib(64) };
    let (process, context) = (bench.process, bench.context.id);
    assert_eq!(bench.machine.allocate(process, context, linear), Err(Refusal::OutOfMemory));
    bench.free(&placed, stream);
    bench.machine.allocate(process, context, linear).expect("the pool does not need it");
    assert_eq!(bench.held().0, Bytes::ZERO);
}

#[test]
fn a_step_that_does_not_fit_becomes_as_much_as_is_asked_for() {
    let mut bench = bench(34);
    let stream = bench.stream;
    bench.allocate(stream, STEP).expect("room");
    let last = bench.allocate(stream, MIB).expect("room");
    assert_eq!(last.placement.taken, Bytes::from_mib(2));
    assert_eq!(bench.allocate(stream, Bytes::from_mib(2)), Err(Refusal::OutOfMemory));
    assert_eq!(bench.allocate(stream, Bytes::ZERO), Err(Refusal::InvalidValue));
}

#[test]
fn a_pool_reserves_no_more_than_it_may() {
    let mut bench = bench(256);
    bench.pool = bench.machine.create_pool(bench.process, DEVICE, Some(STEP)).expect("a pool");
    let stream = bench.stream;
    bench.allocate(stream, STEP).expect("room");
    assert_eq!(bench.allocate(stream, Bytes(1)), Err(Refusal::OutOfMemory));
}

#[test]
fn a_destroyed_pool_lives_until_its_last_allocation_is_free() {
    let mut bench = bench(64);
    let (stream, process, pool) = (bench.stream, bench.process, bench.pool);
    let placed = bench.allocate(stream, MIB).expect("room");
    bench.machine.destroy_pool(process, pool).expect("a pool");
    assert_eq!(bench.machine.pool(process, pool), Err(Refusal::InvalidHandle));
    assert_eq!(bench.allocate(stream, MIB), Err(Refusal::InvalidHandle));
    assert_eq!(bench.free_on_device(), STEP);
    bench.free(&placed, stream);
    assert_eq!(bench.free_on_device(), Bytes::from_mib(64));
}

#[test]
fn pools_outlive_contexts_and_end_with_their_process() {
    let mut bench = bench(64);
    let stream = bench.stream;
    bench.allocate(stream, MIB).expect("room");
    bench.machine.destroy_context(bench.process, bench.context.id).expect("a context");
    assert_eq!(bench.held(), (STEP, MIB));
    bench.machine.detach(bench.process);
    let truth = bench.machine.truth().devices[0];
    assert_eq!((truth.resident, truth.pooled, truth.allocations), (Bytes::ZERO, Bytes::ZERO, 0));
}

#[test]
fn another_process_cannot_name_a_pool_or_its_memory() {
    let mut bench = bench(64);
    let stream = bench.stream;
    let placed = bench.allocate(stream, MIB).expect("room").placement.id;
    let thief = bench.machine.attach(2);
    let context = bench.machine.create_context(thief, DEVICE).expect("room");
    let theirs = context.legacy_stream;
    let machine = &mut bench.machine;
    assert_eq!(machine.pool(thief, bench.pool), Err(Refusal::InvalidHandle));
    assert_eq!(machine.allocate_from_pool(thief, bench.pool, theirs, MIB), Err(Refusal::InvalidHandle));
    assert_eq!(machine.free_in_stream(thief, placed, theirs), Err(Refusal::InvalidValue));
    assert!(machine.free(thief, placed).is_err());
}
