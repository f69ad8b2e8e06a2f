//! Estimates.

use policy::compute::Nanos;
use policy::compute::cost::{Estimate, UNKNOWN, in_proportion};
use proptest::prelude::*;

use super::time;

fn sample() -> impl Strategy<Value = (Nanos, u32)> {
    (time(Nanos::from_secs(10)), 1..1000u32)
}

proptest! {
    #[test]
    fn an_estimate_is_within_what_was_measured(samples in prop::collection::vec(sample(), 1..50)) {
        let estimate = samples.iter().fold(Estimate::UNKNOWN, |estimate, &(each, launches)| estimate.learn(each, launches));
        let (least, most) = (samples.iter().map(|s| s.0).min().unwrap(), samples.iter().map(|s| s.0).max().unwrap());
        prop_assert!(estimate.is_known());
        let expected = estimate.expected();
        prop_assert!(expected >= least.saturating_sub(Nanos(1)) && expected <= most, "{expected:?} of {samples:?}");
        prop_assert_eq!(Estimate::from_bits(estimate.bits()), estimate);
    }

    #[test]
    fn a_new_cost_is_learnt_to_within_a_nanosecond(old in sample(), new in time(Nanos::from_secs(10)), launches in 1..1000u32) {
        let old = Estimate::UNKNOWN.learn(old.0, old.1);
        let learnt = (0..400).fold(old, |estimate, _| estimate.learn(new, launches));
        prop_assert!(learnt.expected().0.abs_diff(new.0) <= 1, "{:?} for {new:?}", learnt.expected());
    }

    #[test]
    fn the_parts_of_an_epoch_add_up_to_it(kinds in prop::collection::vec((time(Nanos::from_millis(1)), 1..64u64), 1..10), measured in time(Nanos::from_secs(1))) {
        let charged = Nanos(kinds.iter().map(|(expected, launches)| expected.0 * launches).sum());
        let parts = kinds.iter().map(|&(expected, launches)| in_proportion(expected, charged, measured).map(|each| each.0 * launches));
        let sum: Option<u64> = parts.sum();
        prop_assert_eq!(sum.is_none(), charged == Nanos::ZERO);
        let launches: u64 = kinds.iter().map(|kind| kind.1).sum();
        prop_assert!(sum.is_none_or(|sum| sum <= measured.0 && measured.0 - sum <= launches));
    }

    #[test]
    fn any_word_is_an_estimate(bits: u64, each: u64, launches: u32) {
        let estimate = Estimate::from_bits(bits);
        prop_assert_eq!(estimate.learn(Nanos(each), launches).is_known(), estimate.is_known() || launches > 0);
    }
}

#[test]
fn the_estimate_is_the_mean_and_not_the_least() {
    // Nine in ten cost 30 µs, the tenth 3 ms: 327 µs on average.
    let costs = [30, 30, 30, 30, 30, 30, 30, 30, 30, 3000].map(Nanos::from_micros);
    let mut sum = 0;
    let mut estimate = Estimate::UNKNOWN;
    for cost in costs.iter().cycle().take(10_000) {
        sum += estimate.expected().0;
        estimate = estimate.learn(*cost, 1);
    }
    assert!((310_000..345_000).contains(&(sum / 10_000)), "{}", sum / 10_000);
}

#[test]
fn what_was_never_measured_is_expected_to_cost_something() {
    assert_eq!(Estimate::UNKNOWN.expected(), UNKNOWN);
    assert_eq!(Estimate::UNKNOWN.learn(Nanos::ZERO, 1).expected(), Nanos::ZERO);
}
