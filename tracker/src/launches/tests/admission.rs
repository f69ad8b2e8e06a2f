//! Leases, and what may hold a launch up.

use policy::compute::Nanos;

use super::process::*;
use crate::launches::{Admission, Counts};

/// A process whose kernel of 10 µs is known, and a thread with a lease of several launches.
fn known() -> (Process, Thread) {
    let (process, mut thread) = (Process::new(90), Thread::default());
    for _ in 0..3000 {
        process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    }
    (process, thread)
}

#[test]
fn within_a_lease_nobody_looks_at_the_clock_or_the_terms() {
    let (process, mut thread) = known();
    let (mut free, mut longest) = (0, 0);
    for _ in 0..200 {
        let asked = std::cell::Cell::new(false);
        let before = (process.device.clock_reads.get(), process.finish.load());
        let ask = || {
            asked.set(true);
            terms(90)
        };
        let at = &mut process.at(STREAM);
        let admission = process.throttle.admit(&mut thread, work(1, STREAM), ask, &process.finish, at);
        let Admission::Granted(mut turn) = admission else { panic!("the kernel is known") };
        let is_free = !asked.get();
        if is_free {
            assert_eq!(turn.start(), None);
            assert_eq!((process.device.clock_reads.get(), process.finish.load()), before);
        }
        process.sleep_until(turn.start().map_or(0, |start| start.0));
        turn.before(at);
        process.device.launch(STREAM, 10 * MICRO);
        turn.after(true, at);
        process.sleep(LAUNCH);
        free = if is_free { free + 1 } else { 0 };
        longest = longest.max(free);
    }
    assert!(longest >= 20, "{longest}");
    assert!(longest < 64, "{longest}");
}

#[test]
fn a_launch_that_failed_is_paid_back() {
    let process = Process::new(10);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 50 * MILLI);
    process.settle();
    process.sleep(10 * SECOND);
    for _ in 0..1000 {
        process.try_launch(&mut thread, 1, STREAM, None);
    }
    // Fifty seconds of GPU time would be owed; what is, is that of the last one, which the meter gives back.
    assert!(process.now() < 1020 * SECOND, "{}", process.now());
    process.poll();
    assert!(process.debt() < MILLI, "{}", process.debt());
    assert_eq!(process.device.kept(), 1);
}

#[test]
fn a_first_launch_that_failed_leaves_the_measuring_to_the_next() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    let begin = process.now();
    process.try_launch(&mut thread, 1, STREAM, None);
    process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    assert!(process.now() < begin + MILLI);
}

#[test]
fn a_thread_of_another_process_begins_with_an_empty_lease() {
    let (process, mut thread) = known();
    let child = Process::new(90);
    child.device.now.set(process.now());
    let before = child.finish.load();
    child.launch(&mut thread, 1, STREAM, 10 * MICRO);
    assert_ne!(child.finish.load(), before);
    assert_eq!(child.device.recorded(), 2);
}

#[test]
fn a_thread_that_ends_hands_its_lease_back() {
    let (process, mut thread) = known();
    while !thread.reserved.covers(Nanos(20 * MICRO)) {
        process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    }
    process.synchronize(&mut thread, STREAM);
    process.poll();
    let owed = process.finish.load();
    process.throttle.retire(&mut thread);
    process.poll();
    let reserved = process.finish.load();
    assert!(reserved.bits() < owed.bits());
}

#[test]
fn a_thread_that_comes_for_one_launch_reserves_one() {
    let process = Process::new(50);
    process.launch(&mut Thread::default(), 1, STREAM, 100 * MICRO);
    process.settle();
    process.sleep(SECOND);
    let begin = process.now();
    for _ in 0..100 {
        process.launch(&mut Thread::default(), 1, STREAM, 100 * MICRO);
    }
    let took = process.now() - begin;
    assert!(took < 20 * MILLI, "{took}");
}

#[test]
fn what_happened_is_counted() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    let begin = process.now();
    for _ in 0..100 {
        process.launch(&mut thread, 1, STREAM, MILLI);
    }
    let waited = process.now() - begin - 100 * LAUNCH;
    process.settle();
    process.throttle.retire(&mut thread);
    let Counts { launches, busy } = process.throttle.take_counts();
    assert_eq!((launches, busy), (100, Nanos(100 * MILLI)));
    assert!((150 * MILLI..200 * MILLI).contains(&waited), "{waited}");
    assert_eq!(process.throttle.take_counts(), Counts::default());
}
