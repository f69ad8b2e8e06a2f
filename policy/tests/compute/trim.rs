//! The trim, in a loop with a meter that is wrong.

use policy::compute::Nanos;
use policy::compute::trim::{PERIOD, Sample, Trim};
use proptest::prelude::*;

use super::time;

/// One comparison: the slice works `permille` of the time, its meter sees `bias` times as many ppm, NVML whole percents.
fn compare(trim: Trim, permille: u64, bias: u64) -> (Trim, Sample) {
    let reported = PERIOD.in_proportion((permille + 5) / 10, 100);
    let metered = trim.apply(PERIOD.in_proportion(permille * bias, 1_000_000_000));
    let sample = Sample { wall: PERIOD, reported, metered };
    (trim.after(sample), sample)
}

proptest! {
    #[test]
    fn a_bias_is_removed_down_to_what_nvml_can_tell(permille in 60..1000u64, bias in 300_000..3_900_000u64) {
        let mut trim = Trim::ONE;
        for _ in 0..40 {
            trim = compare(trim, permille, bias).0;
        }
        let (after, sample) = compare(trim, permille, bias);
        prop_assert_eq!(after, trim);
        prop_assert!(sample.metered.0.abs_diff(sample.reported.0) <= PERIOD.0 / 100, "{sample:?}");
    }

    #[test]
    fn a_meter_that_is_right_is_left_alone(permille in 0..1000u64) {
        prop_assert_eq!(compare(Trim::ONE, permille, 1_000_000).0, Trim::ONE);
    }

    #[test]
    fn the_trim_never_leaves_its_bounds(samples in prop::collection::vec((time(Nanos::from_secs(6)), any::<u64>(), any::<u64>()), 1..100), bits: u64) {
        let mut trim = Trim::from_bits(bits);
        for (wall, reported, metered) in samples {
            trim = trim.after(Sample { wall, reported: Nanos(reported), metered: Nanos(metered) });
            prop_assert!((Trim::MIN..=Trim::MAX).contains(&trim));
            prop_assert_eq!(Trim::from_bits(trim.bits()), trim);
        }
    }

    #[test]
    fn one_sample_moves_it_by_less_than_double(reported: u64, metered: u64) {
        let after = Trim::ONE.after(Sample { wall: PERIOD, reported: Nanos(reported), metered: Nanos(metered) });
        prop_assert!((775_000..=1_900_000).contains(&after.bits()), "{after:?}");
    }
}

#[test]
fn it_freezes_on_what_says_nothing() {
    let good = Sample { wall: PERIOD, reported: Nanos::from_millis(300), metered: Nanos::from_millis(600) };
    assert!(Trim::ONE.after(good) < Trim::ONE);
    for wall in [Nanos::ZERO, Nanos::from_millis(100), Nanos::from_secs(60)] {
        assert_eq!(Trim::ONE.after(Sample { wall, ..good }), Trim::ONE, "{wall:?}");
    }
    for reported in [Nanos::ZERO, Nanos::from_millis(49)] {
        assert_eq!(Trim::ONE.after(Sample { reported, ..good }), Trim::ONE, "{reported:?}");
    }
    assert_eq!(Trim::ONE.after(Sample { metered: Nanos::ZERO, ..good }), Trim::ONE);
}

#[test]
fn an_unwritten_word_trims_nothing() {
    assert_eq!(Trim::from_bits(0), Trim::ONE);
    assert_eq!(Trim::ONE.apply(Nanos(123)), Nanos(123));
    assert_eq!(Trim::MAX.apply(Nanos(100)), Nanos(400));
}
