//! Work that nobody measures, or not as fast as it comes.

use super::process::*;
use crate::launches::Admission;

const DURATION: u64 = 20 * MICRO;

/// Launches as a program does of which nobody can look at the events: where no thread can be started.
fn launch_unseen(process: &Process, thread: &mut Thread, key: u64) {
    loop {
        let later = match process.admit(thread, key, STREAM) {
            Admission::Measuring(until) => until.0,
            Admission::Granted(mut turn) => {
                let start = turn.start().map_or(0, |start| start.0);
                process.device.now.set(start.max(process.now()));
                turn.before(&mut process.at(STREAM));
                process.device.launch(STREAM, DURATION);
                turn.after(true, &mut process.at(STREAM));
                return;
            }
        };
        process.device.now.set(later.max(process.now()));
    }
}

#[test]
fn events_do_not_pile_up_where_nobody_measures() {
    let (process, mut thread) = (Process::new(50), Thread::default());
    for launch in 0..30_000 {
        // Some of the kinds are new.
        launch_unseen(&process, &mut thread, launch % 300);
    }
    assert!(process.device.kept() < 10_000, "{}", process.device.kept());
    // Once somebody does, everything is as it was.
    process.settle();
    assert!(process.device.kept() <= 2, "{}", process.device.kept());
    let before = process.device.recorded();
    process.launch(&mut thread, 1, STREAM, DURATION);
    assert!(process.device.recorded() > before);
}

#[test]
fn launches_that_the_driver_refuses_keep_few_events() {
    let (process, mut thread) = (Process::new(50), Thread::default());
    for _ in 0..1_000 {
        process.try_launch(&mut thread, 1, STREAM, None);
        assert!(process.device.kept() <= 64, "{}", process.device.kept());
    }
}
