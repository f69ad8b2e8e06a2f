//! What a process meters in all, which is compared with what the driver's management library says.

use policy::compute::Nanos;

use super::process::*;
use crate::ContextId;
use crate::launches::StreamId;

const ELSEWHERE: StreamId = StreamId { context: ContextId(2), stream: 7 };

/// A process the first event of which waits in its stream: the time of its context is behind that of the host by as much.
fn behind() -> Process {
    let process = Process::new(50);
    process.device.launch(STREAM, 3 * MILLI);
    process.device.work.borrow_mut().clear();
    process
}

/// That a process has metered what the device worked for it, within half a percent.
fn assert_metered(process: &Process) {
    process.settle();
    let Nanos(metered) = process.throttle.take_counts().busy;
    let worked = process.device.busy(0, process.now());
    assert!(metered.abs_diff(worked) < worked / 200, "{metered} of {worked}");
}

#[test]
fn a_meter_that_was_late_once_does_not_see_more_than_there_is_from_then_on() {
    for hesitates in [0, 300 * MICRO, 4 * MILLI] {
        let (process, mut thread) = (behind(), Thread::default());
        process.hesitates.set(hesitates);
        for launch in 0..200 {
            process.launch(&mut thread, 1, STREAM, 4 * MILLI);
            if launch == 5 {
                process.hesitates.set(0);
            }
        }
        assert_metered(&process);
    }
}

#[test]
fn what_seemed_to_be_under_way_for_longer_than_it_was_is_taken_off_what_follows() {
    let (process, mut threads) = (behind(), [Thread::default(), Thread::default()]);
    process.device.is_parallel.set(true);
    for _ in 0..200 {
        process.launch(&mut threads[0], 1, STREAM, 4 * MILLI);
        process.sleep(3500 * MICRO);
        process.launch(&mut threads[1], 2, ELSEWHERE, 4500 * MICRO);
        process.sleep(14 * MILLI);
    }
    assert_metered(&process);
}
