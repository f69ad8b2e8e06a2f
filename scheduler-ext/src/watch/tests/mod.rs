pub(crate) mod server;

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use serde_json::json;

use super::audit::Audit;
use super::*;
use crate::ledger::tests::scene::{self, asks, bound, claim, node, reader};
use crate::ledger::{DifferenceKind, Ledger};
use server::Server;

const PODS: &str = "/api/v1/pods";
const NODES: &str = "/api/v1/nodes";

/// Memory of the only GPU of each of two nodes.
const MEMORY: [u32; 1] = [1000];

pub(crate) fn keeper() -> Arc<Keeper> {
    Arc::new(Keeper::new(SharedLedger::new(Ledger::new(reader()))))
}

/// A server with two nodes, and who keeps a ledger of it.
fn start() -> (Server, Arc<Keeper>) {
    let (server, keeper) = (Server::default(), keeper());
    ["n", "m"].iter().for_each(|name| server.objects().put(NODES, node(name, &MEMORY)));
    let (client, kept) = (server.client(), Arc::clone(&keeper));
    tokio::spawn(async move { kept.run(client).await });
    (server, keeper)
}

/// A pod on `node` with so much memory.
fn put(server: &Server, uid: &str, node: &str, memory: u32) {
    let limits = asks(1, memory.into(), 0);
    server.objects().put(PODS, bound(uid, &limits, &claim(uid, node, &[(0, memory, 0)]), "Running"));
}

fn used(keeper: &Keeper, node: &str) -> Option<u64> {
    keeper.ledger().read().view(node).ok().map(|node| node.devices[0].used.memory)
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..20_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 200 s: {what}");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_told_anything_before_all_has_been_listed() {
    let server = Server::default();
    server.objects().is_down = true;
    server.objects().put(NODES, node("n", &MEMORY));
    (0..5).for_each(|pod| put(&server, &format!("p{pod}"), "n", 100));
    let kept = keeper();
    let (client, keeper) = (server.client(), Arc::clone(&kept));
    tokio::spawn(async move { keeper.run(client).await });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!kept.is_filled());
    server.objects().is_down = false;
    until("it is filled", || kept.is_filled()).await;
    assert_eq!(used(&kept, "n"), Some(500), "lists of several pages are whole");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_goes_on_where_it_was() {
    let (server, keeper) = start();
    put(&server, "a", "n", 100);
    until("a is there", || used(&keeper, "n") == Some(100)).await;
    assert_eq!(keeper.hearing(), Hearing::Clear);
    server.objects().is_down = true;
    until("it is noticed", || keeper.hearing() == Hearing::Doubtful).await;
    put(&server, "b", "m", 200);
    server.objects().delete(PODS, "a");
    server.objects().is_down = false;
    until("all is well again", || keeper.hearing() == Hearing::Clear).await;
    until("both are told", || (used(&keeper, "n"), used(&keeper, "m")) == (Some(0), Some(200))).await;
    assert_eq!(server.objects().lists[PODS], 1);
}

#[tokio::test(start_paused = true)]
async fn what_happened_while_nobody_watched_is_in_the_next_list() {
    let (server, keeper) = start();
    put(&server, "a", "n", 100);
    until("a is there", || used(&keeper, "n") == Some(100)).await;
    server.objects().is_down = true;
    server.objects().delete(PODS, "a");
    server.objects().delete(NODES, "m");
    put(&server, "b", "n", 300);
    server.objects().compact();
    server.objects().is_down = false;
    until("all is told", || (used(&keeper, "n"), used(&keeper, "m")) == (Some(300), None)).await;
    assert_eq!(server.objects().lists[PODS], 2);
}

#[tokio::test(start_paused = true)]
async fn pods_that_are_told_of_in_another_order_come_to_the_same() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    server.objects().tells_backwards = true;
    put(&server, "a", "n", 100);
    put(&server, "b", "n", 200);
    put(&server, "c", "k", 400);
    server.objects().put(NODES, node("k", &MEMORY));
    until("all are there", || (used(&keeper, "n"), used(&keeper, "k")) == (Some(300), Some(400))).await;
}

#[tokio::test(start_paused = true)]
async fn a_delete_that_is_lost_is_found_told_and_made_good() {
    let (server, keeper) = start();
    put(&server, "a", "n", 100);
    until("a is there", || used(&keeper, "n") == Some(100)).await;
    let counted = Counter::default();
    let audit = Audit::new(&keeper, server.client(), counted.clone());
    assert_eq!(audit.look(Duration::ZERO).await.unwrap(), []);
    server.objects().delete(PODS, "a");
    server.objects().lose_last_event();
    let found = audit.look(Duration::from_secs(5)).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(matches!(&found[0].kind, DifferenceKind::Left(pod) if pod.name == "a"));
    assert_eq!((used(&keeper, "n"), counted.get()), (Some(0), 1));
    let event = server.objects().posted[0].clone();
    assert_eq!((&event["reason"], &event["regarding"]["name"]), (&json!("LedgerDiffered"), &json!("n")));
    assert!(event["note"].as_str().unwrap().ends_with("pod team/a was left behind on node n"), "{event}");
    assert_eq!(audit.look(Duration::ZERO).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn what_the_watch_tells_a_little_later_is_no_difference() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    put(&server, "a", "n", 100);
    let counted = Counter::default();
    let audit = Audit::new(&keeper, server.client(), counted.clone());
    assert_eq!(audit.look(Duration::from_secs(5)).await.unwrap(), []);
    assert_eq!((used(&keeper, "n"), counted.get()), (Some(100), 0));
}

#[tokio::test(start_paused = true)]
async fn a_new_list_shows_what_was_bound_before_it_was_asked_for() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    put(&server, "a", "n", 100);
    server.objects().lose_last_event();
    keeper.read_again().await;
    assert_eq!(used(&keeper, "n"), Some(100));
}

#[tokio::test(start_paused = true)]
async fn a_reservation_outlives_a_list() {
    let (_server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    let ask = scene::World::new().ask_of(&[("main", asks(1, 600, 0))]);
    keeper.ledger().write().assume(&scene::facts("a"), &ask, "n").unwrap();
    keeper.read_again().await;
    assert_eq!(used(&keeper, "n"), Some(600));
}

/// As a bind does it.
fn bind(keeper: &Keeper, uid: &str, node: &str, memory: u32) {
    let ask = scene::World::new().ask_of(&[("main", asks(1, memory.into(), 0))]);
    let mut ledger = keeper.ledger().write();
    ledger.assume(&scene::facts(uid), &ask, node).unwrap();
    ledger.confirm(&uid.parse().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_was_bound_and_deleted_during_a_list_is_looked_for_soon() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    put(&server, "there", "m", 200);
    server.objects().lose_last_event();
    let since = tokio::time::Instant::now();
    bind(&keeper, "gone", "n", 600);
    bind(&keeper, "there", "m", 200);
    let audit = Audit::new(&keeper, server.client(), Counter::default());
    assert_eq!(audit.look(Duration::ZERO).await.unwrap(), [], "no fault of the ledger");
    until("it holds nothing", || used(&keeper, "n") == Some(0)).await;
    assert!((10..30).contains(&since.elapsed().as_secs()), "{:?}", since.elapsed());
    assert_eq!((used(&keeper, "m"), server.objects().lists[PODS]), (Some(200), 3));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(server.objects().lists[PODS], 3, "once is enough");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_looked_for_who_was_told_of() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    bind(&keeper, "a", "n", 600);
    put(&server, "a", "n", 600);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!((used(&keeper, "n"), server.objects().lists[PODS]), (Some(600), 1));
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_does_not_lead_looks_less_often() {
    let (server, keeper) = start();
    until("it is filled", || keeper.is_filled()).await;
    let audit = Audit::new(&keeper, server.client(), Counter::default());
    let looks = async |leads: bool| {
        let before = server.objects().lists[PODS];
        let (period, time) = (Duration::from_secs(60), Duration::from_secs(1830));
        tokio::time::timeout(time, audit.run(period, || leads)).await.unwrap_err();
        server.objects().lists[PODS] - before
    };
    assert_eq!((looks(true).await, looks(false).await), (30, 3));
}
