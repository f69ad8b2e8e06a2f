use k8s_openapi::jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;

use super::*;
use crate::watch::tests::server::Server;
use crate::watch::tests::{keeper, until};

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
    leader.resign();
    leader.lead();
    assert!(!leader.is_leading_at(leader.born + seconds(1)));
}

/// The API server's lease, of this holder, renewed at that second.
fn renew(server: &Server, holder: &str, second: i64) {
    let mut lease = serde_json::to_value(lease(holder, second)).unwrap();
    lease["metadata"] = json!({"name": "l", "namespace": "s"});
    server.objects().put("/apis/coordination.k8s.io/v1/namespaces/s/leases", lease);
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_to_lead_has_listed_all_pods_before() {
    let (server, keeper, leader) = (Server::default(), keeper(), Arc::new(Leader::default()));
    let (kept, following) = (Arc::clone(&keeper), Arc::clone(&leader));
    let (client, watching) = (server.client(), server.client());
    tokio::spawn(async move { kept.run(watching).await });
    until("it is filled", || keeper.is_filled()).await;
    tokio::spawn(async move {
        let name = "s/l".parse().unwrap();
        following.follow(client, &name, "scheduler-1", &keeper).await
    });
    let lists = || server.objects().lists["/api/v1/pods"];
    assert_eq!(lists(), 1);
    for second in 0..10 {
        renew(&server, "scheduler-2_b", second);
        tokio::time::sleep(PERIOD).await;
    }
    assert_eq!((leader.is_leading(), lists()), (false, 1));
    for second in 10..20 {
        renew(&server, "scheduler-1_a", second);
        tokio::time::sleep(PERIOD).await;
    }
    assert_eq!((leader.is_leading(), lists()), (true, 2));
    server.objects().is_down = true;
    tokio::time::sleep(FRESH + seconds(1)).await;
    assert!(!leader.is_leading(), "nobody knows whose the lease is");
    server.objects().is_down = false;
    for second in 20..25 {
        renew(&server, "scheduler-1_a", second);
        tokio::time::sleep(PERIOD).await;
    }
    assert_eq!((leader.is_leading(), lists()), (true, 3));
    renew(&server, "scheduler-2_b", 25);
    tokio::time::sleep(2 * PERIOD).await;
    assert!(!leader.is_leading());
}
