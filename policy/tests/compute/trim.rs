//! The trim, in a loop with a meter that is wrong.

use policy::compute::Nanos;
use policy::compute::trim::{Lately, Trim, Window};
use proptest::prelude::*;

/// A window of NVML's.
const WALL: Nanos = Nanos(166_666_667);

/// So many thousandths of a window.
fn permille(part: u64) -> Nanos {
    WALL.in_proportion(part, 1000)
}

/// What NVML says of a window in which the only process of a slice used so much.
fn window(used: Nanos) -> Window {
    let percent = u32::try_from((used.0 * 100 + WALL.0 / 2) / WALL.0).unwrap();
    Window::of(WALL, std::iter::once(percent), std::iter::empty(), None)
}

/// The trim after windows of which each says what was used, and what was metered.
fn after(trim: Trim, windows: impl Iterator<Item = (Nanos, Nanos)>) -> Trim {
    let mut lately = Lately::default();
    windows.fold(trim, |trim, (used, metered)| {
        lately = lately.and(window(used), metered);
        trim.after(lately)
    })
}

proptest! {
    #[test]
    fn a_bias_is_removed_down_to_what_percents_can_tell(used in 60..250u64, bias in 260..4000u64) {
        let metered = permille(used).in_proportion(bias, 1000);
        let trim = after(Trim::ONE, (0..30).map(|_| (permille(used), metered)));
        prop_assert!(trim.apply(metered).0.abs_diff(permille(used).0) <= permille(11).0, "{trim:?}");
    }

    #[test]
    fn a_meter_that_is_right_is_left_alone(used in prop::collection::vec(0..1000u64, 1..50)) {
        let windows = used.into_iter().map(|used| (permille(used), permille(used)));
        prop_assert_eq!(after(Trim::ONE, windows), Trim::ONE);
    }

    #[test]
    fn the_trim_never_leaves_its_bounds(windows in prop::collection::vec((any::<u64>(), any::<u32>(), any::<u64>()), 1..50), bits: u64) {
        let (mut trim, mut lately) = (Trim::from_bits(bits), Lately::default());
        for (wall, percent, metered) in windows {
            let own = std::iter::repeat_n(percent, 3);
            lately = lately.and(Window::of(Nanos(wall), own, std::iter::empty(), Some(percent)), Nanos(metered));
            trim = trim.after(lately);
            prop_assert!((Trim::MIN..=Trim::MAX).contains(&trim));
            prop_assert_eq!(Trim::from_bits(trim.bits()), trim);
        }
    }

    #[test]
    fn windows_that_are_off_by_a_part_of_one_leave_no_trend(off in 0..166u64, on in 50..2000u64, pause in 50..2000u64) {
        // Work that comes and goes, with windows that begin `off` ms later than they are held to.
        let until = |at: u64| at / (on + pause) * on + (at % (on + pause)).min(on);
        let between = |from: u64| Nanos::from_millis(until(from + 166) - until(from));
        let windows = (0..200).map(|turn| (between(turn * 166), between(turn * 166 + off)));
        let mut sum = 0;
        let (mut trim, mut lately) = (Trim::ONE, Lately::default());
        for (used, metered) in windows {
            lately = lately.and(window(used), metered);
            trim = trim.after(lately);
            sum += trim.bits();
        }
        let mean = sum / 200;
        prop_assert!((500_000..2_000_000).contains(&mean), "{mean}");
    }
}

/// Under a share of 30 %, from when a neighbour starts on, events measure several times as much.
#[test]
fn a_neighbour_that_starts_and_stops_is_made_up_for_within_three_seconds() {
    for bias in [2, 4, 12] {
        let (mut trim, mut lately) = (Trim::ONE, Lately::default());
        for turn in 0..60 {
            let bias = if (20..40).contains(&turn) { bias } else { 1 };
            // What the slice can use is what is charged as its share.
            let used = permille(300).in_proportion(1_000_000, trim.bits() * bias).min(WALL);
            lately = lately.and(window(used), Nanos(used.0 * bias));
            trim = trim.after(lately);
            let off = used.0.abs_diff(permille(300).0);
            assert!(turn % 20 < 18 || off <= permille(20).0, "{off} at turn {turn} with {bias}");
        }
    }
}

#[test]
fn it_freezes_on_what_says_nothing() {
    let windows = |used, metered| after(Trim::ONE, (0..9).map(move |_| (permille(used), permille(metered))));
    assert_eq!(windows(0, 500), Trim::ONE);
    assert_eq!(windows(10, 500), Trim::ONE);
    assert_eq!(windows(500, 0), Trim::ONE);
    assert!(windows(250, 500) < Trim::ONE);
}

#[test]
fn many_small_processes_are_told_by_what_others_leave() {
    let (small, none) = (|| std::iter::repeat_n(0, 64), std::iter::empty::<u32>);
    let metered = |window| Trim::ONE.after(Lately::default().and(window, permille(600)));
    let half = Trim::from_bits(500_000);
    assert_eq!(metered(Window::of(WALL, small(), none(), Some(30))), half);
    assert_eq!(metered(Window::of(WALL, small(), std::iter::once(20), Some(50))), half);
    assert_eq!(metered(Window::of(WALL, small(), std::iter::once(20), None)), Trim::ONE);
}

#[test]
fn an_unwritten_word_trims_nothing() {
    assert_eq!(Trim::from_bits(0), Trim::ONE);
    assert_eq!(Trim::ONE.apply(Nanos(123)), Nanos(123));
    assert_eq!(Trim::MAX.apply(Nanos(100)), Nanos(400));
}

#[test]
fn a_window_of_long_ago_counts_for_little_beside_a_new_one() {
    let window =
        |percent| Window::of(Nanos::from_millis(200), std::iter::once(percent), std::iter::empty(), None);
    let metered = Nanos::from_millis(100);
    let trim = |pause| {
        let lately = Lately::default().and(window(25), metered).after(pause);
        Trim::ONE.after(lately.and(window(50), metered))
    };
    assert!(trim(Nanos::ZERO) < Trim::from_bits(850_000));
    assert_eq!(trim(Nanos::from_secs(30)), Trim::ONE);
}
