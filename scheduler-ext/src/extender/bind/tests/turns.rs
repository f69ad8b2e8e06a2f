//! More binds than the API server is asked for at a time.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;

use super::*;

/// A node's GPU is shared by so many at the most.
const PODS_OF_A_NODE: usize = 10;

/// Nodes with room for so many pods, and the pods with this fate.
fn crowd(count: usize, fate: Fate) -> (Scene, Vec<String>, Vec<(String, String)>) {
    let nodes: Vec<String> = (0..count.div_ceil(PODS_OF_A_NODE)).map(|place| format!("n{place}")).collect();
    let scene = Scene::new(&nodes.iter().map(String::as_str).collect::<Vec<_>>());
    let pods = (0..count).map(|place| (format!("p{place}"), nodes[place / PODS_OF_A_NODE].clone()));
    let pods: Vec<_> = pods.collect();
    for (uid, _) in &pods {
        scene.pod(uid, &asks(1, 100, 0));
        scene.server.fate(uid, &[fate]);
    }
    (scene, nodes, pods)
}

#[tokio::test(start_paused = true)]
async fn who_waited_long_for_a_turn_gives_nothing_back_too_soon() {
    // The last of them are sent long after they were reserved, and done later yet.
    let (scene, nodes, pods) = crowd(400, Fate::Lost(Duration::from_secs(6)));
    let binds = pods.iter().map(|(uid, node)| scene.bind(uid, node));
    join_all(binds).await;
    scene.binder.idle().await;
    scene.check(&nodes.iter().map(String::as_str).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_for_whom_kube_scheduler_has_given_up() {
    let (scene, nodes, pods) = crowd(1000, Fate::Dropped);
    let bind = async |(uid, node): &(String, String)| {
        let result = scene.bind(uid, node).await;
        (uid.clone(), result, scene.server.posts().contains(uid))
    };
    let binds = pods.iter().map(bind);
    let answered = join_all(binds).await;
    scene.binder.idle().await;
    let sent = scene.server.posts();
    for (uid, result, was_sent) in &answered {
        assert!(*was_sent || !sent.contains(uid), "{uid} was sent after {result:?}");
    }
    assert!(answered.iter().any(|(_, result, _)| *result == Err(BindError::TooLate)));
    scene.check(&nodes.iter().map(String::as_str).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_turn_when_another_replica_leads_sends_nothing() {
    let (mut scene, _, pods) = crowd(130, Fate::Dropped);
    let leads = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&leads);
    let may_bind = Box::new(move || asked.load(Ordering::Relaxed));
    let metrics = Metrics::new(scene.ledger.clone());
    scene.binder =
        Binder::new(scene.server.client(), scene::reader(), scene.ledger.clone(), metrics, may_bind);
    pods.iter().for_each(|(uid, _)| scene.note(uid));
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        leads.store(false, Ordering::Relaxed);
        scene.server.posts().len()
    };
    let binds = pods.iter().map(|(uid, node)| scene.bind(uid, node));
    let (results, sent) = tokio::join!(join_all(binds), stop);
    assert!(results.iter().all(Result::is_err));
    assert!(sent < pods.len(), "{sent}");
    assert_eq!(scene.server.posts().len(), sent);
}
