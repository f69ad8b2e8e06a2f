//! Leases.

use policy::compute::Nanos;
use policy::compute::lease::{LAUNCHES_MAX, Lease, TIME_MAX, size};
use proptest::prelude::*;

use super::time;

proptest! {
    #[test]
    fn a_lease_covers_a_launch_and_is_no_larger_than_one_may_be(cost in time(Nanos::from_secs(10)), in_turns: bool) {
        let size = size(cost, in_turns);
        prop_assert!(size >= cost && size <= cost.max(TIME_MAX) && size.0 <= cost.0 * u64::from(LAUNCHES_MAX));
    }

    #[test]
    fn who_takes_turns_takes_no_more_than_who_is_alone(cost in time(Nanos::from_secs(1))) {
        prop_assert!(size(cost, true) <= size(cost, false));
    }

    #[test]
    fn no_more_is_spent_than_was_reserved(steps in prop::collection::vec((any::<bool>(), time(TIME_MAX)), 1..200)) {
        let (mut lease, mut reserved, mut spent) = (Lease::EMPTY, 0, 0);
        for (renews, time) in steps {
            if renews {
                lease.renew(time);
                reserved += time.0;
            } else if lease.spend(time) {
                spent += time.0;
            }
        }
        prop_assert_eq!(spent + lease.take().0, reserved);
        prop_assert!(!lease.spend(Nanos::ZERO));
    }
}

#[test]
fn launches_that_cost_nothing_are_seen_again_all_the_same() {
    let mut lease = Lease::EMPTY;
    lease.renew(size(Nanos::ZERO, false));
    let free = (0..1000).take_while(|_| lease.spend(Nanos::ZERO)).count();
    assert_eq!(free, LAUNCHES_MAX as usize);
}

#[test]
fn a_thread_alone_reserves_a_millisecond_and_those_in_turns_a_tenth_of_one() {
    let cost = Nanos::from_micros(20);
    assert_eq!(size(cost, false), TIME_MAX);
    assert_eq!(size(cost, true), Nanos::from_micros(100));
    assert_eq!(size(Nanos::from_micros(70), true), Nanos::from_micros(70));
    assert_eq!(size(Nanos::from_millis(5), false), Nanos::from_millis(5));
    assert_eq!(size(Nanos::from_micros(2), false), Nanos::from_micros(128));
}
