//! The trim, in a loop with a meter that is wrong.

use policy::compute::Nanos;
use policy::compute::trim::{PERIOD, Rates, Stretch, Trim};
use proptest::prelude::*;

use super::time;

/// The trim after a comparison, if the slice and its meter have gone on as before.
fn steady(trim: Trim, stretch: Stretch) -> Trim {
    trim.after(stretch, stretch.rates())
}

/// A period in which a slice works `permille` of the time, its meter sees `bias` times as much in ppm, and NVML whole percents.
fn period(permille: u64, bias: u64) -> Stretch {
    let reported = PERIOD.in_proportion((permille + 5) / 10, 100);
    Stretch { wall: PERIOD, reported, metered: PERIOD.in_proportion(permille * bias, 1_000_000_000) }
}

proptest! {
    #[test]
    fn a_bias_is_removed_down_to_what_nvml_can_tell(permille in 60..1000u64, bias in 300_000..10_000_000u64) {
        let stretch = period(permille, bias);
        let trim = (0..100).fold(Trim::ONE, |trim, _| steady(trim, stretch));
        prop_assert_eq!(steady(trim, stretch), trim);
        prop_assert!(trim.apply(stretch.metered).0.abs_diff(stretch.reported.0) <= PERIOD.0 / 100 + 250, "{trim:?}");
    }

    #[test]
    fn a_meter_that_is_right_is_left_alone(permille in 0..1000u64) {
        prop_assert_eq!(steady(Trim::ONE, period(permille, 1_000_000)), Trim::ONE);
    }

    #[test]
    fn the_trim_never_leaves_its_bounds(stretches in prop::collection::vec((time(Nanos::from_secs(6)), any::<u64>(), any::<u64>()), 1..100), bits: u64, before: u64) {
        let mut trim = Trim::from_bits(bits);
        for (wall, reported, metered) in stretches {
            let stretch = Stretch { wall, reported: Nanos(reported), metered: Nanos(metered) };
            for before in [Rates::from_bits(before), stretch.rates()] {
                trim = trim.after(stretch, before);
                prop_assert!((Trim::MIN..=Trim::MAX).contains(&trim));
                prop_assert_eq!(Trim::from_bits(trim.bits()), trim);
            }
        }
    }

    #[test]
    fn one_comparison_moves_it_by_no_more_than_six_tenths(reported: u64, metered: u64) {
        let after = steady(Trim::ONE, Stretch { wall: PERIOD, reported: Nanos(reported), metered: Nanos(metered) });
        prop_assert!((625_000..=1_600_000).contains(&after.bits()), "{after:?}");
    }

    #[test]
    fn rates_survive_their_word(bits: u64) {
        prop_assert_eq!(Rates::from_bits(bits).bits(), bits);
    }
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The smallest and largest trim in 100 s of a slice that works for `on` ms and not for `off` ms in turns, with a meter that is
/// right, and NVML that shows windows of 166 ms, `lag` ms late.
fn extremes(on: u64, off: u64, lag: u64, numbers: &mut Numbers) -> (Trim, Trim) {
    // The work that was done up to an instant.
    let until = |at: u64| at / (on + off) * on + (at % (on + off)).min(on);
    let seen = |at: u64| (at - lag) / 166 * 166;
    let (mut from, mut before, mut trims) = (10_000, Rates::default(), vec![Trim::ONE]);
    for _ in 0..400 {
        let to = from + PERIOD.0 / 1_000_000 + numbers.below(10);
        let wall = Nanos::from_millis(to - from);
        let percent = (until(seen(to)) - until(seen(from))) * 100 / (seen(to) - seen(from));
        let metered = Nanos::from_millis(until(to) - until(from));
        let stretch = Stretch { wall, reported: wall.in_proportion(percent, 100), metered };
        trims.push(trims[trims.len() - 1].after(stretch, before));
        (before, from) = (stretch.rates(), to);
    }
    (*trims.iter().min().unwrap(), *trims.iter().max().unwrap())
}

#[test]
fn work_that_comes_and_goes_faster_than_nvml_looks_does_not_drive_the_trim_away() {
    let mut numbers = Numbers(1);
    let runs: Vec<_> = (0..500)
        .map(|_| {
            let (on, off, lag) =
                (50 + numbers.below(1950), 50 + numbers.below(1950), 166 + numbers.below(834));
            extremes(on, off, lag, &mut numbers)
        })
        .collect();
    let (low, high) = (Trim::from_bits(800_000), Trim::from_bits(1_250_000));
    let astray = runs.iter().filter(|(min, max)| *min < low || *max > high).count();
    assert!(astray <= runs.len() / 10, "{astray} of {}", runs.len());
}

#[test]
fn it_freezes_on_what_says_nothing() {
    let good = Stretch {
        wall: PERIOD,
        reported: PERIOD.in_proportion(30, 100),
        metered: PERIOD.in_proportion(60, 100),
    };
    assert!(steady(Trim::ONE, good) < Trim::ONE);
    for wall in [Nanos::ZERO, Nanos::from_millis(99), Nanos::from_secs(60)] {
        let stretch =
            Stretch { wall, reported: wall.in_proportion(30, 100), metered: wall.in_proportion(60, 100) };
        assert_eq!(steady(Trim::ONE, stretch), Trim::ONE, "{wall:?}");
    }
    for reported in [Nanos::ZERO, PERIOD.in_proportion(9, 1000)] {
        assert_eq!(steady(Trim::ONE, Stretch { reported, ..good }), Trim::ONE, "{reported:?}");
    }
    for metered in [Nanos::ZERO, PERIOD.in_proportion(9, 1000)] {
        assert_eq!(steady(Trim::ONE, Stretch { metered, ..good }), Trim::ONE, "{metered:?}");
    }
}

#[test]
fn it_freezes_while_what_nvml_saw_may_be_something_else() {
    let good = Stretch {
        wall: PERIOD,
        reported: PERIOD.in_proportion(30, 100),
        metered: PERIOD.in_proportion(60, 100),
    };
    let before =
        [(0, 60), (25, 60), (35, 60), (30, 0), (30, 50), (30, 70)].map(|(reported, metered)| Stretch {
            reported: PERIOD.in_proportion(reported, 100),
            metered: PERIOD.in_proportion(metered, 100),
            ..good
        });
    for before in before {
        assert_eq!(Trim::ONE.after(good, before.rates()), Trim::ONE, "{before:?}");
    }
}

/// Under a share of 30 %, from when a neighbour starts on, events measure double; NVML is late.
#[test]
fn a_neighbour_that_starts_is_made_up_for_within_five_seconds() {
    for late in [1, 4] {
        let (mut trim, mut before, mut used) =
            (Trim::ONE, Rates::default(), vec![PERIOD.in_proportion(300, 1000); 8]);
        for turn in 0..60 {
            // What the slice can use is what is charged as its share.
            let bias = if turn < 10 { 1 } else { 2 };
            let use_ = PERIOD.in_proportion(300, 1000).in_proportion(1_000_000, trim.bits() * bias);
            used.push(use_);
            let percent = PERIOD.0 / 100;
            let reported = Nanos((used[used.len() - 1 - late].0 + percent / 2) / percent * percent);
            let stretch = Stretch { wall: PERIOD, reported, metered: Nanos(use_.0 * bias) };
            trim = trim.after(stretch, before);
            before = stretch.rates();
            let off = use_.0.abs_diff(PERIOD.0 * 3 / 10) * 100 / PERIOD.0;
            assert!(turn < 30 || off <= 2, "{off} points at turn {turn}");
        }
    }
}

#[test]
fn an_unwritten_word_trims_nothing() {
    assert_eq!(Trim::from_bits(0), Trim::ONE);
    assert_eq!(Trim::ONE.apply(Nanos(123)), Nanos(123));
    assert_eq!(Trim::MAX.apply(Nanos(100)), Nanos(400));
}
