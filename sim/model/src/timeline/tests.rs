//! Single cases; properties over random work are in `tests/`.

use super::*;
use crate::{Admission, Bytes, Direction, EventFlags, Kernel, MachineConfig, Operation, Permille, Wait};

const DEVICE: DeviceIndex = DeviceIndex(0);
const P: ProcessId = ProcessId(1);
const MS: u64 = 1_000_000;

/// A device with one context of process 1, at time 0.
struct Bench {
    timeline: Timeline,
    context: ContextId,
    legacy: StreamId,
}

impl Bench {
    fn new() -> Self {
        let devices = MachineConfig::with_devices(2).describe().expect("default cards");
        let mut timeline = Timeline::new(&devices, Nanos(0));
        let legacy = timeline.open_context(ContextId(1), P, DEVICE);
        Self { timeline, context: ContextId(1), legacy }
    }

    fn stream(&mut self, kind: StreamKind) -> StreamId {
        self.timeline.create_stream(self.context, kind).expect("a context")
    }

    fn event(&mut self) -> EventId {
        self.timeline.create_event(self.context, EventFlags { timing: true }).expect("a context")
    }

    fn put(&mut self, stream: StreamId, operation: Operation) {
        assert_eq!(self.timeline.enqueue(P, stream, operation), Ok(Admission::Queued));
    }

    /// A kernel of so many milliseconds that fills a tenth of the device.
    fn kernel(&mut self, stream: StreamId, millis: u64) {
        self.put(stream, kernel(millis * MS));
    }

    fn done(&self, stream: StreamId) -> bool {
        let wait = self.timeline.wait_for_stream(P, stream).expect("a stream");
        self.timeline.is_complete(&wait)
    }

    /// The instant at which a stream is done, found by running event by event.
    fn done_at(&mut self, stream: StreamId) -> u64 {
        while !self.done(stream) {
            let next = self.timeline.next_event().expect("it is never done");
            self.timeline.advance(next);
        }
        self.timeline.now().0
    }
}

fn kernel(nanos: u64) -> Operation {
    Operation::Kernel(Kernel { duration: Nanos(nanos), sm: Permille(100), memory: Permille(0) })
}

#[test]
fn a_stream_is_in_order_and_streams_are_beside_each_other() {
    let mut bench = Bench::new();
    let (one, two) = (bench.stream(StreamKind::NonBlocking), bench.stream(StreamKind::NonBlocking));
    bench.kernel(one, 2);
    bench.kernel(one, 3);
    bench.kernel(two, 4);
    assert_eq!(bench.done_at(two), 4 * MS);
    assert_eq!(bench.done_at(one), 5 * MS);
}

#[test]
fn completion_is_when_it_was_and_not_when_somebody_looked() {
    let mut bench = Bench::new();
    let (stream, event) = (bench.legacy, bench.event());
    let start = bench.event();
    bench.put(stream, Operation::Record(start));
    bench.kernel(stream, 7);
    bench.put(stream, Operation::Record(event));
    assert_eq!(bench.timeline.elapsed(P, start, event), Err(Refusal::NotReady));
    bench.timeline.advance(Nanos(1000 * MS));
    assert_eq!(bench.timeline.elapsed(P, start, event), Ok(Nanos(7 * MS)));
    assert_eq!(bench.timeline.elapsed(P, event, start), Ok(Nanos(0)));
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_holds_them_back() {
    let mut bench = Bench::new();
    let (blocking, free) = (bench.stream(StreamKind::Blocking), bench.stream(StreamKind::NonBlocking));
    let legacy = bench.legacy;
    bench.kernel(blocking, 2);
    bench.kernel(legacy, 3);
    bench.kernel(blocking, 4);
    bench.kernel(free, 1);
    assert_eq!(bench.done_at(free), MS);
    let own = bench.timeline.streams[&legacy].queue.len();
    assert_eq!(own, 1);
    assert_eq!(bench.done_at(blocking), 9 * MS);
    assert!(bench.done(legacy));
}

#[test]
fn synchronising_the_legacy_stream_waits_for_blocking_streams_only() {
    let mut bench = Bench::new();
    let (blocking, free) = (bench.stream(StreamKind::Blocking), bench.stream(StreamKind::NonBlocking));
    let legacy = bench.legacy;
    bench.kernel(blocking, 2);
    bench.kernel(free, 5);
    assert!(!bench.done(legacy));
    assert_eq!(bench.done_at(legacy), 2 * MS);
    assert!(!bench.done(free));
}

#[test]
fn a_wait_is_for_the_record_before_it_and_not_for_a_later_one() {
    let mut bench = Bench::new();
    let (one, two) = (bench.stream(StreamKind::NonBlocking), bench.stream(StreamKind::NonBlocking));
    let event = bench.event();
    bench.put(two, Operation::Wait(event));
    assert!(bench.done(two), "an event never recorded holds nothing");
    bench.kernel(one, 2);
    bench.put(one, Operation::Record(event));
    bench.put(two, Operation::Wait(event));
    bench.kernel(one, 10);
    bench.put(one, Operation::Record(event));
    bench.kernel(two, 1);
    assert_eq!(bench.done_at(two), 3 * MS);
    let recorded = bench.timeline.wait_for_event(P, event).expect("an event");
    assert!(!bench.timeline.is_complete(&recorded));
    assert_eq!(
        bench.timeline.elapsed(P, event, event),
        Err(Refusal::NotReady),
        "the older record has no time"
    );
}

#[test]
fn a_wait_holds_across_devices() {
    let mut bench = Bench::new();
    let far = bench.timeline.open_context(ContextId(2), P, DeviceIndex(1));
    let (near, event) = (bench.legacy, bench.event());
    bench.kernel(near, 3);
    bench.put(near, Operation::Record(event));
    bench.put(far, Operation::Wait(event));
    bench.kernel(far, 1);
    assert_eq!(bench.done_at(far), 4 * MS);
}

#[test]
fn copies_run_beside_kernels_and_one_after_another_in_a_direction() {
    let mut bench = Bench::new();
    let streams: Vec<_> = (0..4).map(|_| bench.stream(StreamKind::NonBlocking)).collect();
    let millisecond = Bytes(50_000_000);
    bench.kernel(streams[0], 1);
    bench.put(streams[1], Operation::Copy(Direction::HostToDevice, millisecond));
    bench.put(streams[2], Operation::Copy(Direction::DeviceToHost, millisecond));
    bench.put(streams[3], Operation::Copy(Direction::HostToDevice, millisecond));
    bench.timeline.advance(Nanos(MS));
    let done: Vec<_> = streams.iter().map(|stream| bench.done(*stream)).collect();
    assert_eq!(done, [true, true, true, false]);
    assert_eq!(bench.done_at(streams[3]), 2 * MS);
}

#[test]
fn a_memset_makes_the_device_busy_but_is_no_kernel() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    bench.put(legacy, Operation::Memset(Bytes(3_350_000_000)));
    assert_eq!(bench.done_at(legacy), MS);
    let total = bench.timeline.engines[0].meter.total();
    assert_eq!((total.busy, total.kernels), (Nanos(MS), 0));
}

#[test]
fn a_full_stream_takes_no_more_until_its_head_is_done() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    for _ in 0..1024 {
        bench.kernel(legacy, 1);
    }
    assert_eq!(bench.timeline.enqueue(P, legacy, kernel(MS)), Ok(Admission::Full));
    bench.timeline.advance(Nanos(MS));
    bench.kernel(legacy, 1);
    assert_eq!(bench.timeline.enqueue(P, legacy, kernel(MS)), Ok(Admission::Full));
}

#[test]
fn a_launcher_that_waits_goes_on_when_an_eighth_of_the_stream_is_free() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    for _ in 0..1024 {
        bench.kernel(legacy, 1);
    }
    assert_eq!(bench.timeline.earliest_room(legacy), Nanos(128 * MS));
    bench.timeline.advance(Nanos(128 * MS - 1));
    assert!(!bench.timeline.has_room(legacy));
    bench.timeline.advance(Nanos(128 * MS));
    assert!(bench.timeline.has_room(legacy));
    assert_eq!(bench.timeline.earliest_room(legacy), Nanos(128 * MS));
}

#[test]
fn a_host_function_holds_its_stream_until_it_returned() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    bench.kernel(legacy, 1);
    bench.put(legacy, Operation::HostFunction);
    bench.kernel(legacy, 1);
    assert!(bench.timeline.expects_host_call(P));
    assert_eq!(bench.timeline.take_host_call(P), None);
    bench.timeline.advance(Nanos(10 * MS));
    assert!(!bench.timeline.expects_host_call(P));
    let call = bench.timeline.take_host_call(P).expect("it was reached");
    assert_eq!((call.stream, bench.timeline.take_host_call(P)), (legacy, None));
    assert!(!bench.done(legacy));
    assert_eq!(bench.timeline.finish_host_call(ProcessId(2), call.id), Err(Refusal::InvalidHandle));
    assert_eq!(bench.timeline.finish_host_call(P, call.id), Ok(()));
    assert_eq!(bench.timeline.finish_host_call(P, call.id), Err(Refusal::InvalidHandle));
    assert_eq!(bench.done_at(legacy), 11 * MS);
}

#[test]
fn destroying_a_context_drops_its_work_and_lets_go_who_waited_for_it() {
    let mut bench = Bench::new();
    let other = bench.timeline.open_context(ContextId(2), P, DEVICE);
    let (legacy, event) = (bench.legacy, bench.event());
    bench.kernel(legacy, 1000);
    bench.put(legacy, Operation::HostFunction);
    bench.put(legacy, Operation::Record(event));
    bench.put(other, Operation::Wait(event));
    bench.timeline.advance(Nanos(MS));
    bench.timeline.close_context(ContextId(1));
    assert!(bench.done(other));
    assert!(!bench.timeline.expects_host_call(P));
    assert_eq!(bench.timeline.next_event(), None);
    assert_eq!(bench.timeline.enqueue(P, legacy, kernel(1)), Err(Refusal::InvalidHandle));
}

#[test]
fn a_destroyed_stream_still_does_what_it_holds() {
    let mut bench = Bench::new();
    let stream = bench.stream(StreamKind::Blocking);
    let legacy = bench.legacy;
    bench.kernel(stream, 2);
    bench.timeline.destroy_stream(P, stream).expect("a stream");
    assert_eq!(bench.timeline.destroy_stream(P, stream), Err(Refusal::InvalidHandle));
    assert_eq!(bench.timeline.enqueue(P, stream, kernel(1)), Err(Refusal::InvalidHandle));
    assert_eq!(bench.done_at(legacy), 2 * MS, "its work is part of the barrier");
    assert!(!bench.timeline.streams.contains_key(&stream));
    assert_eq!(bench.timeline.destroy_stream(P, legacy), Err(Refusal::InvalidHandle));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut bench = Bench::new();
    bench.timeline.open_context(ContextId(2), P, DEVICE);
    let foreign = bench.timeline.create_event(ContextId(2), EventFlags { timing: false }).expect("a context");
    let (legacy, event) = (bench.legacy, bench.event());
    for sm in [0, 1001] {
        let kernel = Kernel { duration: Nanos(1), sm: Permille(sm), memory: Permille(0) };
        let refused = bench.timeline.enqueue(P, legacy, Operation::Kernel(kernel));
        assert_eq!(refused, Err(Refusal::InvalidValue), "{sm}");
    }
    let refused = bench.timeline.enqueue(P, legacy, Operation::Record(foreign));
    assert_eq!(refused, Err(Refusal::InvalidHandle));
    assert_eq!(bench.timeline.enqueue(ProcessId(2), legacy, kernel(1)), Err(Refusal::InvalidHandle));
    assert_eq!(bench.timeline.elapsed(P, event, event), Err(Refusal::InvalidHandle));
    assert_eq!(bench.timeline.elapsed(P, foreign, foreign), Err(Refusal::InvalidHandle));
    bench.timeline.destroy_event(P, event).expect("an event");
    assert_eq!(bench.timeline.enqueue(P, legacy, Operation::Wait(event)), Err(Refusal::InvalidHandle));
}

#[test]
fn the_earliest_end_is_never_late_and_exact_for_who_is_alone() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    bench.kernel(legacy, 3);
    bench.kernel(legacy, 4);
    let wait: Wait = bench.timeline.wait_for_context(bench.context).expect("a context");
    bench.timeline.advance(Nanos(MS));
    assert_eq!(bench.timeline.earliest(&wait), Nanos(7 * MS));
    bench.kernel(legacy, 100);
    assert_eq!(bench.timeline.earliest(&wait), Nanos(7 * MS), "later work does not extend a wait");
}

#[test]
fn a_kernel_of_no_duration_is_done_at_once() {
    let mut bench = Bench::new();
    let legacy = bench.legacy;
    bench.put(legacy, kernel(0));
    assert_eq!(bench.done_at(legacy), 0);
}
