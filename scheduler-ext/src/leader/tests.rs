use k8s_openapi::jiff::Timestamp;
use serde_json::json;

use super::*;

fn lease(holder: &str, second: i64) -> Lease {
    let renewed = Timestamp::from_second(second).unwrap();
    let spec = json!({"holderIdentity": holder, "renewTime": MicroTime(renewed)});
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn a_renewal_counts_from_before_it_can_have_been() {
    let (mut sight, start) = (Sight::new("scheduler-1"), Instant::now());
    sight.see(Some(&lease("scheduler-1_a", 1)), start);
    assert_eq!(sight.fresh_until(start), None, "the first that is seen may be of any age");
    sight.see(Some(&lease("scheduler-1_a", 1)), start + seconds(1));
    assert_eq!(sight.fresh_until(start + seconds(1)), None, "and does not become younger");
    sight.see(Some(&lease("scheduler-1_a", 2)), start + seconds(2));
    assert_eq!(sight.fresh_until(start + seconds(2)), Some(start + seconds(7)));
    assert_eq!(sight.fresh_until(start + seconds(7)), None);
    sight.see(Some(&lease("scheduler-1_a", 2)), start + seconds(7));
    assert_eq!(sight.fresh_until(start + seconds(7)), None);
}

#[test]
fn what_clocks_say_means_nothing() {
    let (mut sight, start) = (Sight::new("scheduler-1"), Instant::now());
    for (second, renewal) in [(0, 1000), (1, 700), (2, 1300), (3, 701)] {
        sight.see(Some(&lease("scheduler-1_a", renewal)), start + seconds(second));
    }
    assert_eq!(sight.fresh_until(start + seconds(3)), Some(start + seconds(8)));
}

#[test]
fn another_holder_ends_it_at_once_and_a_name_that_is_longer_is_another() {
    let (mut sight, start) = (Sight::new("scheduler-1"), Instant::now());
    for (second, holder) in [(0, "scheduler-2_b"), (1, "scheduler-1_a"), (2, "scheduler-1_a")] {
        let renewal = i64::try_from(second).unwrap();
        sight.see(Some(&lease(holder, renewal)), start + seconds(second));
    }
    assert!(sight.fresh_until(start + seconds(2)).is_some());
    for other in [Some(lease("scheduler-2_b", 3)), Some(lease("scheduler-11_a", 4)), None] {
        let mut sight = Sight { last: sight.last.clone(), ..Sight::new("scheduler-1") };
        sight.see(other.as_ref(), start + seconds(3));
        assert_eq!(sight.fresh_until(start + seconds(3)), None);
    }
}

#[test]
fn who_leads_stops_by_itself() {
    let leader = Leader::default();
    assert!(!leader.is_leading());
    leader.lead_until(leader.born + seconds(5));
    assert!(leader.is_leading_at(leader.born + seconds(4)));
    assert!(!leader.is_leading_at(leader.born + seconds(5)));
    leader.lead();
    assert!(leader.is_leading_at(leader.born + seconds(100_000)));
}
