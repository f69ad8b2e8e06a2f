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
    let start = Instant::now();
    let mut sight = Sight::new("scheduler-1", start);
    let see = |sight: &mut Sight, renewal, at| sight.see(Some(&lease("scheduler-1_a", renewal)), at, at);
    see(&mut sight, 1, start);
    assert_eq!(sight.fresh_until(start), None, "the first that is seen may be of any age");
    see(&mut sight, 1, start + seconds(1));
    assert_eq!(sight.fresh_until(start + seconds(1)), None, "and does not become younger");
    see(&mut sight, 2, start + seconds(2));
    assert_eq!(sight.fresh_until(start + seconds(2)), Some(start + seconds(7)));
    assert_eq!(sight.fresh_until(start + seconds(7)), None);
    see(&mut sight, 2, start + seconds(7));
    assert_eq!(sight.fresh_until(start + seconds(7)), None);
}

#[test]
fn what_clocks_say_means_nothing() {
    let start = Instant::now();
    let mut sight = Sight::new("scheduler-1", start);
    for (second, renewal) in [(0, 1000), (1, 700), (2, 1300), (3, 701)] {
        let at = start + seconds(second);
        sight.see(Some(&lease("scheduler-1_a", renewal)), at, at);
    }
    assert_eq!(sight.fresh_until(start + seconds(3)), Some(start + seconds(8)));
}

#[test]
fn another_holder_ends_it_at_once_and_a_name_that_is_longer_is_another() {
    let start = Instant::now();
    for other in [Some(lease("scheduler-2_b", 3)), Some(lease("scheduler-11_a", 4)), None] {
        let mut sight = Sight::new("scheduler-1", start);
        for second in 0..3 {
            let (at, renewal) = (start + seconds(second), i64::try_from(second).unwrap());
            sight.see(Some(&lease("scheduler-1_a", renewal)), at, at);
        }
        assert!(sight.fresh_until(start + seconds(2)).is_some());
        sight.see(other.as_ref(), start + seconds(3), start + seconds(3));
        assert_eq!(sight.fresh_until(start + seconds(3)), None);
    }
}

/// When a replica begins to lead that sees these holders, each second another renewal, and itself from then on.
fn leads_after(holders: &[&str]) -> u64 {
    let start = Instant::now();
    let mut sight = Sight::new("scheduler-1", start);
    for second in 0..60 {
        let at = start + seconds(second);
        let holder = holders.get(usize::try_from(second).unwrap()).unwrap_or(&"scheduler-1_a");
        let renewal = i64::try_from(second).unwrap();
        // Who has died renews it no more.
        let renewal = if *holder == "dead_c" { 0 } else { renewal };
        sight.see(Some(&lease(holder, renewal)), at, at);
        if sight.fresh_until(at).is_some() {
            return second;
        }
    }
    60
}

#[test]
fn who_takes_the_lease_over_waits_until_others_bind_no_more() {
    assert_eq!(leads_after(&[]), 2, "what this program has sent before it was started anew");
    assert_eq!(leads_after(&["scheduler-2_b"; 4]), 4 + 8, "it may have been renewed until it was given away");
    assert_eq!(
        leads_after(&["scheduler-2_b", "scheduler-2_b", ""]),
        3 + 8,
        "also where it was nobody's in between"
    );
    assert_eq!(leads_after(&["dead_c"; 9]), 9, "its last renewal is long ago");
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

#[tokio::test(start_paused = true)]
async fn a_lease_that_nobody_renews_is_told_and_one_that_cannot_be_read_is_not() {
    let (server, keeper, leader) = (Server::default(), keeper(), Arc::new(Leader::default()));
    let (client, following) = (server.client(), Arc::clone(&leader));
    tokio::spawn(async move {
        let name = "s/l".parse().unwrap();
        following.follow(client, &name, "scheduler-1", &keeper).await
    });
    for second in 0..60 {
        renew(&server, "scheduler-2_b", second);
        tokio::time::sleep(PERIOD).await;
    }
    assert_eq!(leader.is_renewed(), Ok(()), "by another replica's");
    tokio::time::sleep(FORSAKEN + PERIOD * 2).await;
    assert!(leader.is_renewed().unwrap_err().starts_with("nobody has renewed the lease for 3"));
    server.objects().is_down = true;
    tokio::time::sleep(2 * FORSAKEN).await;
    assert_eq!(leader.is_renewed(), Ok(()), "nobody can");
    assert_eq!(leader.is_looking(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_not_looked_at_any_more_is_told() {
    let leader = Leader::default();
    tokio::time::advance(LOOKED_WITHIN + PERIOD).await;
    assert_eq!(leader.is_looking(), Err("it has not been looked at for 31 s".to_owned()));
}
