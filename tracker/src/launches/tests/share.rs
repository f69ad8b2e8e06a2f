//! Shares are held.

use super::process::*;

/// Launches for `seconds` what `next` says of each launch: its key and its duration. Returns the percents of the device's time
/// that were used, by second.
fn used(process: &Process, seconds: u64, mut next: impl FnMut(u64) -> (u64, u64)) -> Vec<f64> {
    let mut thread = Thread::default();
    let begin = process.now();
    for index in 0.. {
        let (key, duration) = next(index);
        process.launch(&mut thread, key, STREAM, duration);
        if process.now() > begin + seconds * SECOND {
            break;
        }
    }
    let second = |index: u64| {
        let from = begin + index * SECOND;
        process.device.busy(from, from + SECOND)
    };
    (0..seconds).map(|index| second(index) as f64 / 1e7).collect()
}

fn mean(windows: &[f64]) -> f64 {
    windows.iter().sum::<f64>() / windows.len() as f64
}

fn assert_held(percent: u8, windows: &[f64], tolerance: f64) {
    let error =
        windows.iter().map(|used| (used - f64::from(percent)).abs()).sum::<f64>() / windows.len() as f64;
    assert!(error <= tolerance, "{windows:?} at {percent}");
}

#[test]
fn short_and_middling_kernels_get_their_share_from_the_first_second_on() {
    for percent in [10, 30, 50, 90] {
        for duration in [20 * MICRO, 200 * MICRO, 2 * MILLI] {
            assert_held(percent, &used(&Process::new(percent), 4, |_| (1, duration)), 0.6);
        }
    }
}

#[test]
fn a_kernel_whose_duration_varies_gets_its_share() {
    for percent in [10, 30, 50, 90] {
        let windows =
            used(&Process::new(percent), 6, |index| (1, if index % 2 == 0 { 30 * MICRO } else { 3 * MILLI }));
        assert_held(percent, &windows[..1], 5.0);
        assert_held(percent, &windows[2..], 0.3);
        let windows = used(&Process::new(percent), 6, |index| (1, (index * 7919 % 100) * MICRO));
        assert_held(percent, &windows, 0.6);
    }
}

#[test]
fn a_program_of_many_kinds_of_kernels_gets_its_share() {
    let windows = used(&Process::new(30), 4, |index| (index % 100, (5 + index % 100) * MICRO));
    assert_held(30, &windows, 0.6);
}

#[test]
fn a_thousand_launches_of_a_long_kernel_that_nobody_has_seen_are_paid_back() {
    let process = Process::new(30);
    let windows = used(&process, 60, |_| (1, 100 * MILLI));
    let launched = process.device.work.borrow().len() as f64;
    assert!(mean(&windows) < 31.5, "{}: {windows:?}", mean(&windows));
    assert!(mean(&windows[5..]) > 29.0, "{windows:?}");
    assert!(launched < 190.0, "{launched}");
}

#[test]
fn a_correction_by_the_trim_is_of_all_that_is_charged() {
    let process = Process::new(30);
    let trim = policy::compute::trim::Trim::from_bits(2_000_000);
    process.terms.set(crate::launches::Terms { trim, ..terms(30) });
    assert_held(15, &used(&process, 3, |_| (1, 100 * MICRO)), 0.6);
}

#[test]
fn another_share_is_in_force_with_the_next_lease() {
    let process = Process::new(30);
    assert_held(30, &used(&process, 2, |_| (1, 100 * MICRO)), 0.6);
    process.terms.set(terms(60));
    assert_held(60, &used(&process, 2, |_| (1, 100 * MICRO)), 0.6);
    process.terms.set(terms(10));
    assert_held(10, &used(&process, 2, |_| (1, 100 * MICRO)), 0.6);
}
