//! Busy time against a count of nanoseconds.

use policy::compute::Nanos;
use policy::compute::busy::{Busy, SPANS};
use proptest::prelude::*;

/// Whether each of the first nanoseconds is covered.
type Covered = [bool; 4096];

/// Covers it the simple way.
fn cover(covered: &mut Covered, from: usize, to: usize) -> u64 {
    let places = covered.iter_mut().take(to).skip(from);
    places.fold(0, |fresh, place| fresh + u64::from(!core::mem::replace(place, true)))
}

fn spans(covered: &Covered) -> usize {
    usize::from(covered[0]) + covered.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

proptest! {
    #[test]
    fn overlaps_are_counted_once_in_any_order(intervals in prop::collection::vec((0..4000usize, 0..96usize), 1..100)) {
        let (mut busy, mut covered) = (Busy::new(), [false; 4096]);
        for (from, length) in intervals {
            let fresh = cover(&mut covered, from, from + length);
            if spans(&covered) > SPANS {
                break;
            }
            prop_assert_eq!(busy.cover(Nanos(from as u64), Nanos((from + length) as u64)), Nanos(fresh));
        }
    }

    #[test]
    fn any_two_instants_may_come(ends in prop::collection::vec((any::<u64>(), any::<u64>()), 1..200)) {
        let mut busy = Busy::new();
        for (from, to) in ends {
            prop_assert!(busy.cover(Nanos(from), Nanos(to)) <= Nanos(to.saturating_sub(from)));
            prop_assert_eq!(busy.cover(Nanos(from), Nanos(from)), Nanos::ZERO);
        }
    }

    #[test]
    fn one_stream_in_order_is_counted_exactly_for_ever(intervals in prop::collection::vec((1..1000u64, 1..1000u64), 1..1000)) {
        let (mut busy, mut at) = (Busy::new(), 0);
        for (gap, length) in intervals {
            at += gap;
            prop_assert_eq!(busy.cover(Nanos(at), Nanos(at + length)), Nanos(length));
            at += length;
        }
    }
}

/// A kernel of 10 s that is known when it ends, beside one of `work` every `period` on another stream.
fn long_beside_short(work: Nanos, period: Nanos) -> u64 {
    let (mut busy, mut counted, long) = (Busy::new(), 0, Nanos::from_secs(10));
    for turn in 0..long.0 / period.0 {
        let at = turn * period.0;
        counted += busy.cover(Nanos(at), Nanos(at + work.0)).0;
    }
    (counted + busy.cover(Nanos::ZERO, long).0).abs_diff(long.0) * 1000 / long.0
}

#[test]
fn when_intervals_are_too_many_the_error_is_what_matters_least() {
    let tenth = Nanos::from_micros(100);
    // In thousandths of 10 s: short ones are counted twice, short gaps not at all.
    assert!(long_beside_short(tenth, Nanos::from_millis(5)) <= 20);
    assert!(long_beside_short(Nanos::from_micros(4900), Nanos::from_millis(5)) <= 20);
}

#[test]
fn what_began_last_was_forgotten_and_its_neighbours_were_counted_in_full() {
    // Two streams, 200 us each, 3 us apart, now and then: what the pair covers is longer than the first of the next pair.
    let (mut busy, mut counted, pairs) = (Busy::new(), 0, 200);
    for pair in 0..pairs {
        let at = pair * 1_000_000;
        for from in [at, at + 3000] {
            counted += busy.cover(Nanos(from), Nanos(from + 200_000)).0;
        }
    }
    assert_eq!(counted, pairs * 203_000);
}

#[test]
fn what_is_forgotten_makes_room_and_the_rest_stays() {
    let mut busy = Busy::new();
    let span = |at: u64| (Nanos::from_millis(10 * at), Nanos::from_millis(10 * at + 5));
    for at in 0..SPANS as u64 {
        busy.cover(span(at).0, span(at).1);
    }
    busy.forget_before(Nanos::from_millis(25));
    // The third span ends there; the one after it is still known, and shorter ones fit in.
    assert_eq!(busy.cover(span(2).0, span(2).1), Nanos::from_millis(5));
    assert_eq!(busy.cover(span(3).0, span(3).1), Nanos::ZERO);
    let late = Nanos::from_secs(7);
    assert_eq!(busy.cover(late, late.saturating_add(Nanos(1))), Nanos(1));
    assert_eq!(busy.cover(late, late.saturating_add(Nanos(1))), Nanos::ZERO);
    busy.forget_before(Nanos::from_secs(8));
    assert_eq!(busy.cover(late, late.saturating_add(Nanos(1))), Nanos(1));
}
