//! Work, and waiting for it.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use sim_kernel::{Client, Context, EventFlags, EventId, Fault, Kind, Nanos, Operation, Refusal, StreamKind};

use super::bed::{Bed, eventually, kernel, truth};
use super::tenant::Tenant;

const NOT_READY: Result<(), Fault> = Err(Fault::Refused(Refusal::NotReady));

/// Has the legacy stream of a context do work between two events, with nothing between them but the work: a host
/// function holds the stream until all three are queued.
pub(crate) fn timed(client: &Client, context: Context, work: Operation) -> [EventId; 2] {
    let event = || client.create_event(context.id, EventFlags { timing: true }).expect("a context");
    let events = [event(), event()];
    for operation in
        [Operation::HostFunction, Operation::Record(events[0]), work, Operation::Record(events[1])]
    {
        client.enqueue(context.legacy_stream, operation).expect("a stream");
    }
    let call = client.next_host_call().expect("a stream that reached it");
    client.finish_host_call(call.id).expect("a call under way");
    events
}

#[test]
fn a_synchronisation_is_answered_when_the_work_is_done_and_not_before() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    let duration = Duration::from_millis(50);
    let begin = Instant::now();
    let [start, end] = timed(&client, context, kernel(Nanos::from_millis(50)));
    let early = client.query_event(end);
    assert!(early == NOT_READY || begin.elapsed() >= duration, "{early:?}");
    client.synchronize_event(end).expect("an event");
    assert!(begin.elapsed() >= duration, "answered after {:?}", begin.elapsed());
    assert_eq!(client.elapsed(start, end), Ok(Nanos::from_millis(50)));
    assert_eq!(client.query_stream(context.legacy_stream), Ok(()));
}

#[test]
fn a_thread_that_waits_holds_back_no_other() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    let event = client.create_event(context.id, EventFlags { timing: false }).expect("a context");
    client.enqueue(context.legacy_stream, Operation::HostFunction).expect("a stream");
    client.enqueue(context.legacy_stream, Operation::Record(event)).expect("a stream");
    std::thread::scope(|scope| {
        let (sender, waited) = mpsc::channel();
        let client = &client;
        scope.spawn(move || sender.send(client.synchronize_event(event)));
        // The stream cannot go on before this thread, whose calls have to be answered meanwhile, says so.
        let call = client.next_host_call().expect("a stream that reached it");
        assert_eq!(call.stream, context.legacy_stream);
        for _ in 0..100 {
            assert_eq!(client.query_event(event), NOT_READY);
        }
        assert_eq!(waited.try_recv(), Err(mpsc::TryRecvError::Empty));
        client.finish_host_call(call.id).expect("a call under way");
        assert_eq!(waited.recv(), Ok(Ok(())));
    });
}

#[test]
fn a_host_function_is_called_when_its_stream_reached_it() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    let [start, end] = timed(&client, context, kernel(Nanos::from_millis(30)));
    std::thread::scope(|scope| {
        let early = scope.spawn(|| client.next_host_call());
        client.enqueue(context.legacy_stream, Operation::HostFunction).expect("a stream");
        let call = early.join().expect("no panic").expect("a host function");
        assert_eq!(client.elapsed(start, end), Ok(Nanos::from_millis(30)));
        client.finish_host_call(call.id).expect("a call under way");
    });
    assert_eq!(client.synchronize_context(context.id), Ok(()));
}

#[test]
fn a_launch_into_a_full_stream_waits_for_room() {
    let bed = Bed::described("[[devices]]\nqueue_depth = 4\n");
    let (client, context) = bed.tenant();
    let begin = Instant::now();
    for _ in 0..6 {
        client.enqueue(context.legacy_stream, kernel(Nanos::from_millis(20))).expect("a stream");
    }
    // The sixth needs two of the four places to be free.
    assert!(begin.elapsed() >= Duration::from_millis(40), "queued after {:?}", begin.elapsed());
    let early = client.query_stream(context.legacy_stream);
    assert!(early == NOT_READY || begin.elapsed() >= Duration::from_millis(120), "{early:?}");
}

#[test]
fn destroying_a_context_lets_go_of_who_waits_for_its_work() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    client.enqueue(context.legacy_stream, kernel(Nanos::from_millis(3_600_000))).expect("a stream");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| client.synchronize_context(context.id));
        eventually("it waits or is about to", || client.query_stream(context.legacy_stream) == NOT_READY);
        client.destroy_context(context.id).expect("a context");
        let answer = waiting.join().expect("no panic");
        let gone = Err(Fault::Refused(Refusal::InvalidContext));
        assert!(answer == Ok(()) || answer == gone, "{answer:?}");
    });
}

#[test]
fn two_processes_take_turns_of_two_milliseconds() {
    let bed = Bed::new();
    let observer = bed.client(Kind::Observer);
    let tenants = [Tenant::start(&bed, "work 3600000"), Tenant::start(&bed, "work 3600000")];
    let busy = |tenant: &Tenant| {
        let processes = observer.truth().expect("an observer").processes;
        processes.iter().find(|of| of.pid == tenant.pid()).map_or(Nanos::ZERO, |of| of.busy)
    };
    let begin = observer.truth().expect("an observer");
    eventually("they worked for a while", || truth(&observer).busy.0 > begin.devices[0].busy.0 + 100_000_000);
    let end = observer.truth().expect("an observer");
    let gained = tenants.each_ref().map(|tenant| {
        let of = |truth: &sim_kernel::Truth| {
            truth
                .processes
                .iter()
                .find(|process| process.pid == tenant.pid())
                .map_or(0, |process| process.busy.0)
        };
        of(&end) - of(&begin)
    });
    let (less, more) = (gained[0].min(gained[1]), gained[0].max(gained[1]));
    assert!(more - less <= 4_000_000, "{gained:?}");
    assert!(busy(&tenants[0]) > Nanos::ZERO);
    assert_eq!(gained[0] + gained[1], end.devices[0].busy.0 - begin.devices[0].busy.0);
    assert_eq!(end.now.0 - begin.now.0, gained[0] + gained[1], "the device was never idle");
}

#[test]
fn streams_and_events_are_gone_once_destroyed() {
    let bed = Bed::new();
    let (client, context) = bed.tenant();
    let stream = client.create_stream(context.id, StreamKind::NonBlocking).expect("a context");
    let event = client.create_event(context.id, EventFlags { timing: true }).expect("a context");
    client.destroy_stream(stream).expect("a stream");
    client.destroy_event(event).expect("an event");
    let gone = Err(Fault::Refused(Refusal::InvalidHandle));
    assert_eq!(client.query_stream(stream), gone);
    assert_eq!(client.query_event(event), gone);
    assert_eq!(client.destroy_stream(context.legacy_stream), gone);
}
