//! Threads that wait for each launch, far from their limit.

use super::process::*;

const DURATION: u64 = 20 * MICRO;

/// Launches, waits and does something else for a moment, again and again.
fn play(process: &Process, thread: &mut Thread, rounds: u32, duration: impl Fn(u32) -> u64) {
    for round in 0..rounds {
        process.launch(thread, 1, STREAM, duration(round));
        process.synchronize(thread, STREAM);
        process.sleep(40 * MICRO);
    }
}

/// A process and a thread that have done so for some time.
fn at_ease(percent: u8) -> (Process, Thread) {
    let (process, mut thread) = (Process::new(percent), Thread::default());
    play(&process, &mut thread, 3000, |_| DURATION);
    process.settle();
    process.throttle.take_counts();
    (process, thread)
}

/// Events that were recorded and GPU time that was counted while so many rounds were played.
fn played(
    process: &Process,
    thread: &mut Thread,
    rounds: u32,
    duration: impl Fn(u32) -> u64,
) -> (usize, u64) {
    let before = process.device.recorded();
    play(process, thread, rounds, duration);
    process.settle();
    (process.device.recorded() - before, process.throttle.take_counts().busy.0)
}

#[test]
fn most_launches_are_not_measured_and_all_are_counted() {
    let (process, mut thread) = at_ease(99);
    let (recorded, busy) = played(&process, &mut thread, 2000, |_| DURATION);
    assert!(recorded < 2 * 2000 / 12, "{recorded}");
    assert!(busy.abs_diff(2000 * DURATION) < 2000 * DURATION / 50, "{busy}");
    assert!(process.device.kept() <= 2);
}

#[test]
fn near_the_limit_every_launch_is_measured() {
    let (process, mut thread) = at_ease(10);
    let (recorded, _) = played(&process, &mut thread, 500, |_| DURATION);
    assert_eq!(recorded, 1000);
}

#[test]
fn what_varies_is_measured_every_time() {
    let (process, mut thread) = at_ease(99);
    let varying = |round: u32| if round.is_multiple_of(3) { DURATION * 3 } else { DURATION };
    played(&process, &mut thread, 500, varying);
    let (recorded, busy) = played(&process, &mut thread, 300, varying);
    assert_eq!(recorded, 600);
    assert_eq!(busy, 500 * DURATION);
}

#[test]
fn launches_that_have_become_longer_are_noticed_soon() {
    let (process, mut thread) = at_ease(99);
    let (_, busy) = played(&process, &mut thread, 1000, |_| 2 * DURATION);
    assert!((960 * 2 * DURATION..=1000 * 2 * DURATION).contains(&busy), "{busy}");
}

#[test]
fn a_kernel_that_takes_long_for_once_is_charged_though_it_was_not_measured() {
    for launch in 20..60 {
        let (process, mut thread) = at_ease(99);
        let long = |round: u32| if round == launch { 100 * MILLI } else { DURATION };
        let (_, busy) = played(&process, &mut thread, 60, long);
        assert!((90 * MILLI..=102 * MILLI).contains(&busy), "{launch}: {busy}");
    }
}

#[test]
fn what_it_took_is_owed_as_if_it_had_been_measured() {
    for rounds in 20..60 {
        let (process, mut thread) = at_ease(50);
        play(&process, &mut thread, rounds, |round| if round + 1 == rounds { 100 * MILLI } else { DURATION });
        process.sleep(5 * MILLI);
        // Half of it, less a burst.
        assert!((28 * MILLI..=45 * MILLI).contains(&process.debt()), "{rounds}: {}", process.debt());
    }
}

/// Events for each time that eight were launched and waited for.
fn events_of_eight(percent: u8) -> usize {
    let (process, mut thread) = (Process::new(percent), Thread::default());
    let mut play = |rounds: u32| {
        for _ in 0..rounds {
            (0..8).for_each(|_| process.launch(&mut thread, 1, STREAM, DURATION));
            process.synchronize(&mut thread, STREAM);
            process.sleep(20 * MICRO);
        }
        process.device.recorded()
    };
    let before = play(500);
    (play(200) - before) / 200
}

#[test]
fn launches_that_are_waited_for_together_are_measured_together_far_from_the_limit_alone() {
    assert!(events_of_eight(99) <= 4, "{}", events_of_eight(99));
    assert!(events_of_eight(30) >= 10, "{}", events_of_eight(30));
}
