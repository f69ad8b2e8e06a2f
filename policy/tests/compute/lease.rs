//! Leases.

use policy::compute::Nanos;
use policy::compute::lease::{LAUNCHES_MAX, Lease, TIME_MAX, size};
use proptest::prelude::*;

use super::time;

proptest! {
    #[test]
    fn a_lease_covers_a_launch_and_is_no_larger_than_one_may_be(cost in time(Nanos::from_secs(10)), debt in time(Nanos::from_secs(10)), waiting: u32) {
        let size = size(cost, debt, waiting);
        prop_assert!(size >= cost && size <= cost.max(TIME_MAX) && size.0 <= cost.0 * u64::from(LAUNCHES_MAX));
    }

    #[test]
    fn who_shares_with_waiters_or_owes_takes_no_more_than_who_is_alone(cost in time(Nanos::from_secs(1)), debt in time(Nanos::from_secs(1)), waiting in 0..100u32) {
        prop_assert!(size(cost, debt, waiting) <= size(cost, Nanos::ZERO, 0));
        prop_assert!(size(cost, debt, waiting + 1) <= size(cost, debt, waiting));
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
    lease.renew(size(Nanos::ZERO, Nanos::ZERO, 0));
    let free = (0..1000).take_while(|_| lease.spend(Nanos::ZERO)).count();
    assert_eq!(free, LAUNCHES_MAX as usize);
}

#[test]
fn a_thread_alone_reserves_a_millisecond_and_a_queue_one_launch_each() {
    let cost = Nanos::from_micros(20);
    assert_eq!(size(cost, Nanos::ZERO, 0), TIME_MAX);
    assert_eq!(size(cost, Nanos(1), 0), Nanos::from_micros(240));
    assert_eq!(size(cost, Nanos(1), 1), Nanos::from_micros(120));
    assert_eq!(size(cost, Nanos(1), 20), cost);
    assert_eq!(size(Nanos::from_millis(5), Nanos::ZERO, 0), Nanos::from_millis(5));
    assert_eq!(size(Nanos::from_micros(2), Nanos::ZERO, 0), Nanos::from_micros(128));
}
