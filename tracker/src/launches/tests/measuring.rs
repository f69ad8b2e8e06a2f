//! Kinds of launches of which nothing is known.

use policy::compute::Nanos;

use super::process::*;
use crate::launches::Admission;

#[test]
fn the_second_launch_of_a_kind_waits_until_the_first_has_told() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    let begin = process.now();
    process.launch(&mut thread, 1, STREAM, 300 * MICRO);
    assert!(matches!(process.admit(&mut thread, 1, STREAM), Admission::Measuring(_)));
    process.launch(&mut thread, 1, STREAM, 300 * MICRO);
    let (second, _) = process.device.work.borrow()[1];
    assert!((begin + 300 * MICRO..begin + MILLI).contains(&second), "{}", second - begin);
}

#[test]
fn nobody_waits_longer_than_ten_milliseconds_for_that() {
    let process = Process::new(90);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 10 * SECOND);
    let begin = process.now();
    let Admission::Measuring(until) = process.admit(&mut thread, 1, STREAM) else {
        panic!("nothing is known")
    };
    assert_eq!(until, Nanos(begin + 10 * MILLI));
    process.sleep_until(until.0 - 1);
    let Admission::Measuring(still) = process.admit(&mut thread, 1, STREAM) else { panic!("not that long") };
    assert_eq!(still, until);
    process.sleep_until(until.0);
    assert!(matches!(process.admit(&mut thread, 1, STREAM), Admission::Granted(_)));
}

#[test]
fn who_has_waited_in_vain_pays_what_is_known_for_certain() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 10 * SECOND);
    process.sleep(500 * MILLI);
    process.launch(&mut thread, 1, STREAM, 10 * SECOND);
    // Half a second that the first has run for, half a second at least that the second will, less what was paid meanwhile.
    assert!(process.debt() > 700 * MILLI, "{}", process.debt());
}

#[test]
fn another_kind_does_not_wait() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, SECOND);
    assert!(matches!(process.admit(&mut thread, 2, STREAM), Admission::Granted(_)));
}

#[test]
fn when_nothing_can_be_measured_nobody_waits_for_it() {
    for tells_nothing in [true, false] {
        let process = Process::new(50);
        process.device.tells_nothing.set(tells_nothing);
        process.device.is_mute.set(!tells_nothing);
        let mut thread = Thread::default();
        let begin = process.now();
        for _ in 0..50 {
            process.launch(&mut thread, 1, STREAM, 10 * MICRO);
        }
        // 2.5 ms of GPU time, as far as anybody knows.
        let took = process.now() - begin;
        assert!(took < 6 * MILLI, "{took}");
    }
}

#[test]
fn what_was_launched_blindly_is_charged_as_soon_as_one_is_known() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    for _ in 0..4 {
        process.launch(&mut thread, 1, STREAM, 200 * MILLI);
    }
    let first_end = process.device.work.borrow()[0].1;
    assert!(process.now() < first_end);
    process.sleep_until(first_end + 5 * MILLI);
    // Four times 200 ms, less what was paid in the time of the first.
    assert!(process.debt() > 680 * MILLI, "{}", process.debt());
}

#[test]
fn a_kind_that_means_something_else_is_measured_anew() {
    let process = Process::new(50);
    let mut thread = Thread::default();
    process.launch(&mut thread, 1, STREAM, 10 * MICRO);
    process.settle();
    process.throttle.forget_work(1);
    process.launch(&mut thread, 1, STREAM, 10 * MILLI);
    assert!(matches!(process.admit(&mut thread, 1, STREAM), Admission::Measuring(_)));
}
