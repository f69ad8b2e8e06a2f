//! Processes of one slice that work at the same time: the device serves them by turns.

use shared_region::compute::FinishWord;

use super::process::*;

/// So many processes of one slice begin one after another to run a kernel that takes as long as all of theirs together. What each
/// expects of another one afterwards.
fn expected(processes: u64, duration: u64) -> Vec<u64> {
    let all: Vec<Process> = (0..processes).map(|_| Process::new(30)).collect();
    let finish = FinishWord::default();
    let poll = |process: &Process, at: u64| {
        process.device.now.set(at);
        process.poll_with(&finish);
    };
    for (process, late) in all.iter().zip(0..) {
        process.device.now.set(process.now() + late * 10 * MICRO);
        process.launch(&mut Thread::default(), 1, STREAM, processes * duration);
        poll(process, process.now());
    }
    while let Some((process, next)) =
        all.iter().filter_map(|one| Some((one, one.next.get()?))).min_by_key(|one| one.1)
    {
        poll(process, next);
    }
    let expected = |process: &Process| process.throttle.expected(1).map_or(0, |cost| cost.0);
    all.iter().map(expected).collect()
}

#[test]
fn who_looks_first_is_not_held_to_have_all_that_everybody_had() {
    for (processes, duration) in [(2, 200 * MILLI), (4, 100 * MILLI), (16, 100 * MILLI)] {
        let costs = expected(processes, duration);
        let is_about = |&cost: &u64| (duration / 2..duration * 2).contains(&cost);
        assert!(costs.iter().all(is_about), "{duration}: {costs:?}");
    }
}
