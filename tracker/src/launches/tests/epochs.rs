//! How launches are measured.

use policy::compute::Nanos;

use super::process::*;
use crate::launches::Admission;

/// Events that `launches` launches took.
fn recorded(process: &Process, launches: u32, mut launch: impl FnMut(u32)) -> usize {
    let before = process.device.recorded();
    (0..launches).for_each(&mut launch);
    process.device.recorded() - before
}

#[test]
fn launches_back_to_back_are_measured_many_at_a_time() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    let first = recorded(&process, 20, |_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    assert_eq!(first, 40);
    recorded(&process, 3000, |_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    let later = recorded(&process, 1000, |_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    assert!(later <= 1000 / 8, "{later}");
    process.settle();
    assert!(process.device.kept() <= 2, "{}", process.device.kept());
}

#[test]
fn launches_with_time_between_are_measured_one_by_one_and_the_time_between_is_nobodys() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    let events = recorded(&process, 500, |_| {
        process.launch(&mut thread, 1, STREAM, 20 * MICRO);
        process.sleep(100 * MICRO);
    });
    assert_eq!(events, 1000);
    process.settle();
    assert_eq!(process.throttle.take_counts().busy, Nanos(500 * 20 * MICRO));
}

#[test]
fn a_pause_in_an_open_epoch_is_not_charged() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    let mut launch = |count: u32| {
        (0..count).for_each(|_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    };
    launch(1000);
    process.settle();
    process.throttle.take_counts();
    for _ in 0..20 {
        launch(70);
        process.sleep(50 * MILLI);
    }
    process.settle();
    let busy = process.throttle.take_counts().busy;
    let truth = 20 * 70 * 10 * MICRO;
    assert!(busy <= Nanos(truth + truth / 10), "{busy:?}");
}

#[test]
fn launches_that_have_become_a_hundred_times_longer_are_charged_in_full() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    (0..1000).for_each(|_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    process.synchronize(&mut thread, STREAM);
    process.settle();
    process.throttle.take_counts();
    (0..50).for_each(|_| process.launch(&mut thread, 1, STREAM, MILLI));
    process.synchronize(&mut thread, STREAM);
    process.settle();
    let busy = process.throttle.take_counts().busy;
    assert!((Nanos(49 * MILLI)..=Nanos(50 * MILLI)).contains(&busy), "{busy:?}");
}

#[test]
fn a_thread_that_changes_between_streams_is_measured_launch_by_launch() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    (0..1000).for_each(|_| process.launch(&mut thread, 1, STREAM, 10 * MICRO));
    process.settle();
    process.throttle.take_counts();
    for round in 0..1000 {
        process.launch(&mut thread, 1, [STREAM, OTHER][round % 2], 10 * MICRO);
    }
    process.settle();
    let busy = process.throttle.take_counts().busy;
    assert!(busy >= Nanos(990 * 10 * MICRO), "{busy:?}");
}

#[test]
fn work_of_two_streams_at_the_same_time_counts_once() {
    let process = Process::new(50);
    process.device.is_parallel.set(true);
    let (mut one, mut two) = (Thread::default(), Thread::default());
    let begin = process.now();
    for _ in 0..200 {
        process.launch(&mut one, 1, STREAM, MILLI);
        process.launch(&mut two, 2, OTHER, MILLI);
    }
    process.settle();
    let work = process.device.work.borrow();
    let mut union = policy::compute::busy::Busy::new();
    let truth: u64 = work.iter().map(|&(from, to)| union.cover(Nanos(from), Nanos(to)).0).sum();
    let busy = process.throttle.take_counts().busy.0;
    assert!(busy.abs_diff(truth) <= truth / 100, "{busy} of {truth}");
    let used = truth as f64 / (process.now() - begin) as f64;
    assert!((0.48..0.53).contains(&used), "{used}");
}

#[test]
fn a_long_kernel_is_owed_while_it_runs() {
    let process = Process::new(10);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 5 * SECOND);
    for second in 1..5 {
        process.sleep_until(1000 * SECOND + second * SECOND);
        let expected = second * SECOND * 9 / 10;
        assert!(process.debt().abs_diff(expected) < 20 * MILLI, "{} of {expected}", process.debt());
    }
    process.settle();
    assert!(process.debt().abs_diff(4_500 * MILLI) < 20 * MILLI, "{}", process.debt());
}

#[test]
fn a_long_kernel_is_owed_once_though_short_ones_run_beside_it() {
    let process = Process::new(10);
    process.device.is_parallel.set(true);
    let (mut one, mut two) = (Thread::default(), Thread::default());
    process.launch(&mut two, 2, OTHER, 100 * MICRO);
    process.settle();
    process.launch(&mut one, 1, STREAM, 4 * SECOND);
    while process.now() < 1003 * SECOND {
        process.launch(&mut two, 2, OTHER, 100 * MICRO);
    }
    let elapsed = process.now() - 1000 * SECOND;
    let expected = elapsed.min(4 * SECOND) - elapsed / 10;
    assert!(process.debt().abs_diff(expected) < 20 * MILLI, "{} of {expected}", process.debt());
}

#[test]
fn references_are_renewed_and_none_is_lost() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    for _ in 0..300 {
        process.launch(&mut thread, 1, STREAM, 10 * MILLI);
        process.sleep(90 * MILLI);
    }
    process.settle();
    assert_eq!(process.device.kept(), 1);
    assert_eq!(process.throttle.take_counts().busy, Nanos(3 * SECOND));
}

#[test]
fn the_meter_looks_when_something_is_to_be_seen_and_never_when_nothing_is() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    assert!(!process.throttle.needs_poll());
    process.poll();
    assert_eq!(process.next.get(), None);
    process.launch(&mut thread, 1, STREAM, 3 * MILLI);
    process.settle();
    process.launch(&mut thread, 1, STREAM, 3 * MILLI);
    assert!(process.next.get().is_some(), "the first launch after a while was to wake the meter");
    assert!(!process.throttle.needs_poll());
    process.poll();
    let next = process.next.get().unwrap();
    assert!((process.now() + 2 * MILLI..process.now() + 4 * MILLI).contains(&next));
    process.settle();
    assert!(!process.throttle.needs_poll());
}

#[test]
fn who_launches_does_not_wake_the_meter_for_each_piece_of_work_and_the_meter_goes_when_no_more_comes() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 20 * MICRO);
    process.settle();
    let mut woken = 0;
    for _ in 0..1000 {
        process.synchronize(&mut thread, STREAM);
        process.launch(&mut thread, 1, STREAM, 20 * MICRO);
        // Polls at once if it is to be woken.
        woken += u32::from(process.next.get().is_none());
    }
    assert!(woken <= 1, "{woken}");
    process.synchronize(&mut thread, STREAM);
    process.sleep(200 * MILLI);
    assert_eq!((process.next.get(), process.throttle.needs_poll()), (None, false));
}

#[test]
fn the_hosts_way_from_the_start_event_to_the_launch_is_nobodys_gpu_time() {
    const WAY: u64 = 30 * MICRO;
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 20 * MICRO);
    process.settle();
    for _ in 0..200 {
        let Admission::Granted(mut turn) = process.admit(&mut thread, 1, STREAM) else {
            panic!("it is known")
        };
        assert_eq!(turn.start(), None);
        turn.before(&mut process.at(STREAM));
        process.sleep(WAY);
        process.device.launch(STREAM, 20 * MICRO);
        turn.after(true, &mut process.at(STREAM));
        process.synchronize(&mut thread, STREAM);
        process.sleep(MILLI);
    }
    // What comes after a pause is measured, and what was not is counted with it.
    process.sleep(10 * MILLI);
    process.launch(&mut thread, 1, STREAM, 20 * MICRO);
    process.settle();
    let busy = process.throttle.take_counts().busy.0;
    assert!((4 * MILLI..5 * MILLI).contains(&busy), "{busy}");
}

/// A process that launches 1 ms of work every 32 ms, which nobody has to look at each time.
fn now_and_then() -> (Process, Thread) {
    let (process, mut thread) = (Process::new(90), Thread::default());
    for _ in 0..100 {
        process.launch(&mut thread, 1, STREAM, MILLI);
        process.synchronize(&mut thread, STREAM);
        process.sleep(32 * MILLI);
    }
    (process, thread)
}

#[test]
fn who_works_now_and_then_calls_the_meter_every_other_time_and_it_hardly_wakes_by_itself() {
    let (process, mut thread) = now_and_then();
    let mut called = 0;
    for _ in 0..100 {
        let before = process.next.get().expect("it comes back");
        process.launch(&mut thread, 1, STREAM, MILLI);
        process.synchronize(&mut thread, STREAM);
        assert!(process.now() < before, "it woke up by itself");
        called += u32::from(process.next.get() != Some(before));
        process.sleep(31 * MILLI);
    }
    assert!((45..=55).contains(&called), "{called}");
}

#[test]
fn what_becomes_long_is_noticed_though_looks_are_seldom() {
    let (process, mut thread) = now_and_then();
    process.launch(&mut thread, 1, STREAM, SECOND);
    process.throttle.take_counts();
    process.sleep(100 * MILLI);
    assert!(process.throttle.take_counts().busy > Nanos(0));
    process.sleep(300 * MILLI);
    let busy = process.throttle.take_counts().busy.0;
    assert!((200 * MILLI..=400 * MILLI).contains(&busy), "{busy}");
}
