//! Streams and contexts that go away.

use policy::compute::Nanos;

use super::process::*;
use crate::ContextId;
use crate::launches::StreamId;

const ANOTHER: StreamId = StreamId { context: ContextId(2), stream: 7 };

/// A process, and a thread that has an epoch open in [`STREAM`].
fn with_open_epoch() -> (Process, Thread) {
    let (process, mut thread) = (Process::new(90), Thread::default());
    (0..1000).for_each(|_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    while thread.open.is_none() {
        process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    }
    (process, thread)
}

#[test]
fn an_epoch_is_not_ended_in_another_stream_of_the_same_name() {
    let (process, mut thread) = with_open_epoch();
    process.throttle.forget_stream(STREAM);
    let before = process.device.recorded();
    process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    // The new one's own, from start to end.
    assert_eq!(process.device.recorded() - before, 2);
    process.settle();
    assert!(process.device.kept() <= 1);
}

#[test]
fn an_epoch_goes_on_when_another_stream_is_forgotten() {
    let (process, mut thread) = with_open_epoch();
    let open = thread.open.unwrap();
    process.throttle.forget_stream(OTHER);
    let before = process.device.recorded();
    process.throttle.end_epoch(&mut thread, STREAM, &mut process.at(STREAM));
    assert_eq!(process.device.recorded() - before, 1);
    process.throttle.take_counts();
    process.settle();
    assert!(process.throttle.take_counts().busy >= Nanos(open.tally.charged.0));
}

#[test]
fn what_was_launched_in_a_stream_that_is_gone_is_measured() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 30 * MILLI);
    process.throttle.forget_stream(STREAM);
    process.settle();
    assert_eq!(process.throttle.take_counts().busy, Nanos(30 * MILLI));
}

#[test]
fn events_of_a_context_that_is_gone_are_not_touched() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, SECOND);
    process.launch(&mut thread, 2, ANOTHER, SECOND);
    process.sleep(5 * MILLI);
    process.throttle.forget_context(STREAM.context);
    process.device.gone.borrow_mut().push(STREAM.context);
    process.settle();
    assert!(process.now() >= 1002 * SECOND, "the other context's work is still seen to its end");
    // Its kinds of launches are not waited for.
    let begin = process.now();
    process.launch(&mut thread, 1, ANOTHER, MICRO);
    assert!(process.now() < begin + 3 * SECOND);
}

#[test]
fn what_a_context_owes_stays_owed_when_it_is_gone() {
    let process = Process::new(10);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 5 * SECOND);
    process.sleep(2 * SECOND);
    let owed = process.debt();
    process.throttle.forget_context(STREAM.context);
    process.device.gone.borrow_mut().push(STREAM.context);
    process.poll();
    assert_eq!(process.next.get(), None);
    assert!(process.debt().abs_diff(owed) < 10 * MILLI, "{} of {owed}", process.debt());
}

#[test]
fn an_epoch_that_cannot_be_ended_counts_as_expected() {
    let (process, mut thread) = with_open_epoch();
    process.settle();
    let owed = process.finish.load();
    process.throttle.leave_epoch(&mut thread);
    process.poll();
    assert_eq!(process.finish.load(), owed);
    assert!(process.device.kept() <= 1);
}
