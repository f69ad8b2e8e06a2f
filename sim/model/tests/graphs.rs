//! Memory of graphs: what a launch binds, what launches share, what outlives them, and what a trim gives back.

use sim_model::{
    Bytes, Context, DeviceIndex, GraphExecId, Kernel, Machine, MachineConfig, Nanos, Operation, Permille,
    ProcessId, Refusal, StreamId, StreamKind,
};

const DEVICE: DeviceIndex = DeviceIndex(0);
const MIB: u64 = 1 << 20;

struct Bench {
    machine: Machine,
    process: ProcessId,
    context: Context,
    stream: StreamId,
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
    Bench { machine, process, context, stream }
}

impl Bench {
    fn graph(&mut self, mib: u64) -> GraphExecId {
        self.machine.open_graph(self.process, DEVICE, Bytes::from_mib(mib)).expect("a device")
    }

    fn map(&mut self, graph: GraphExecId, stream: StreamId) -> Result<(), Refusal> {
        self.machine.map_graph(self.process, graph, stream)
    }

    fn stream(&mut self) -> StreamId {
        let made = self.machine.create_stream(self.process, self.context.id, StreamKind::NonBlocking);
        made.expect("a stream")
    }

    /// Reserved and used, in MiB.
    fn held(&self) -> (u64, u64) {
        let memory = self.machine.graph_memory(self.process, DEVICE).expect("a device");
        assert_eq!(self.machine.truth().devices[0].graphs, memory.reserved);
        (memory.reserved.0 / MIB, memory.used.0 / MIB)
    }

    fn keep_busy(&mut self, stream: StreamId) {
        let kernel = Kernel { duration: Nanos::from_micros(100), sm: Permille::WHOLE, memory: Permille(0) };
        self.machine.enqueue(self.process, stream, Operation::Kernel(kernel)).expect("a queued kernel");
    }

    fn trim(&mut self) {
        self.machine.trim_graphs(self.process, DEVICE).expect("a device");
    }
}

#[test]
fn a_graph_takes_its_memory_when_it_is_mapped_and_leaves_it_for_the_next() {
    let mut bench = bench(256);
    let stream = bench.stream;
    let (small, large) = (bench.graph(10), bench.graph(31));
    assert_eq!(bench.held(), (0, 0));
    bench.map(small, stream).expect("room");
    assert_eq!(bench.held(), (10, 10));
    bench.map(large, stream).expect("room");
    assert_eq!(
        bench.held(),
        (32, 32),
        "in one stream they never run at once; memory comes in pieces of 2 MiB"
    );
    bench.map(small, stream).expect("what it has");
    assert_eq!(bench.held(), (32, 32));
    bench.machine.close_graph(bench.process, large).expect("a graph");
    assert_eq!(bench.held(), (32, 10), "nobody maps the rest");
    bench.trim();
    assert_eq!(bench.held(), (0, 0));
    assert_eq!(bench.machine.memory(DEVICE).expect("a device").free, Bytes::from_mib(256));
}

#[test]
fn graphs_in_different_streams_share_only_what_is_not_mapped() {
    let mut bench = bench(256);
    let (stream, other) = (bench.stream, bench.stream());
    let (first, second) = (bench.graph(20), bench.graph(20));
    bench.map(first, stream).expect("room");
    bench.map(second, other).expect("room");
    assert_eq!(bench.held(), (40, 40));
    bench.machine.close_graph(bench.process, first).expect("a graph");
    let third = bench.graph(40);
    bench.map(third, other).expect("room");
    assert_eq!(bench.held(), (40, 40), "what the first one left");
}

#[test]
fn a_trim_leaves_what_is_running() {
    let mut bench = bench(256);
    let (stream, other) = (bench.stream, bench.stream());
    let (first, second) = (bench.graph(20), bench.graph(10));
    bench.map(first, stream).expect("room");
    bench.keep_busy(stream);
    bench.map(second, other).expect("room");
    bench.trim();
    assert_eq!(bench.held(), (20, 20));
    bench.machine.advance(Nanos::from_micros(100));
    bench.trim();
    assert_eq!(bench.held(), (0, 0));
}

#[test]
fn what_outlives_a_launch_is_kept_until_it_is_freed() {
    let mut bench = bench(256);
    let (process, stream) = (bench.process, bench.stream);
    let graph = bench.graph(20);
    bench.map(graph, stream).expect("room");
    bench.machine.keep_of_graph(process, DEVICE, stream, Bytes::from_mib(8));
    bench.trim();
    assert_eq!(bench.held(), (8, 8));
    let free = |bench: &mut Bench, stream, mib| {
        bench.machine.free_of_graph(process, DEVICE, stream, Bytes::from_mib(mib))
    };
    assert_eq!(free(&mut bench, None, 9), Err(Refusal::InvalidValue));
    free(&mut bench, Some(stream), 4).expect("kept");
    bench.map(graph, stream).expect("room");
    assert_eq!(bench.held(), (24, 24), "freed in the stream, used again in the stream");
    free(&mut bench, None, 4).expect("kept");
    bench.trim();
    assert_eq!(bench.held(), (0, 0));
}

#[test]
fn idle_streams_make_room_and_busy_ones_do_not() {
    let mut bench = bench(32);
    let (stream, other) = (bench.stream, bench.stream());
    let (first, second) = (bench.graph(20), bench.graph(20));
    bench.map(first, stream).expect("room");
    bench.keep_busy(stream);
    assert_eq!(bench.map(second, other), Err(Refusal::OutOfMemory));
    assert_eq!(bench.machine.truth().devices[0].refused, 1);
    bench.machine.advance(Nanos::from_micros(100));
    bench.map(second, other).expect("the first one does not run");
    assert_eq!(bench.held(), (20, 20));
}

#[test]
fn a_dead_process_leaves_nothing_and_another_cannot_name_its_graphs() {
    let mut bench = bench(64);
    let stream = bench.stream;
    let graph = bench.graph(20);
    bench.map(graph, stream).expect("room");
    let thief = bench.machine.attach(2);
    let theirs = bench.machine.create_context(thief, DEVICE).expect("room").legacy_stream;
    assert_eq!(bench.machine.map_graph(thief, graph, theirs), Err(Refusal::InvalidHandle));
    assert_eq!(bench.machine.close_graph(thief, graph), Err(Refusal::InvalidHandle));
    bench.machine.keep_of_graph(bench.process, DEVICE, stream, Bytes::from_mib(2));
    bench.machine.detach(bench.process);
    bench.machine.detach(thief);
    let truth = bench.machine.truth().devices[0];
    assert_eq!((truth.resident, truth.graphs), (Bytes::ZERO, Bytes::ZERO));
}
