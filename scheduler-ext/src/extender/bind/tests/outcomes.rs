//! What may become of one bind.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tokio::time::Instant;

use super::*;

/// A pod of 600 MiB with these fates, and what comes of its bind to `n`; with how long that took.
async fn one(fates: &[Fate]) -> (Scene, Result<(), BindError>, Duration) {
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    scene.server.fate("p", fates);
    let since = Instant::now();
    let result = scene.bind("p", "n").await;
    scene.binder.idle().await;
    (scene, result, since.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_bound_with_its_claim_and_only_once() {
    let (scene, result, _) = one(&[]).await;
    assert_eq!((result, scene.used("n"), scene.server.gets()), (Ok(()), 600, 0));
    scene.check(&["n"]);
    // Again, as kube-scheduler may after it has been restarted.
    assert_eq!(scene.bind("p", "n").await, Ok(()));
    assert_eq!(scene.server.posts().len(), 1);
    let error = scene.bind("p", "m").await.unwrap_err().to_string();
    assert!(error.contains("on node n already"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_over_gets_nothing_any_more() {
    let (scene, result, _) = one(&[]).await;
    assert_eq!(result, Ok(()));
    let mut over = scene.server.pod("p").unwrap();
    over["status"]["phase"] = json!("Succeeded");
    scene.server.put(&over);
    scene.ledger.write().note_pod(&serde_json::from_value(over).unwrap());
    assert_eq!(scene.bind("p", "n").await, Err(BindError::Gone));
    scene.check(&["n"]);
    assert_eq!(scene.used("n"), 0);
}

#[tokio::test(start_paused = true)]
async fn what_the_api_server_refuses_is_given_back_at_once() {
    for code in [400, 401, 403, 404, 422, 429] {
        let (scene, result, took) = one(&[Fate::Refused(code)]).await;
        assert_eq!(result, Err(BindError::Refused("refused".to_owned())));
        assert!(took < Duration::from_secs(1), "{code}: {took:?}");
        scene.check(&["n"]);
        assert_eq!(scene.bind("p", "n").await, Ok(()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_bind_that_was_done_without_a_word_is_confirmed() {
    let soon = Duration::from_millis(500);
    let lost = [Duration::ZERO, soon, soon * 12].map(Fate::Lost);
    for fate in lost.into_iter().chain([500, 409].map(Fate::DoneAndFailed)) {
        let (scene, result, took) = one(&[fate]).await;
        assert_eq!((result, scene.used("n")), (Ok(()), 600), "{fate:?}");
        assert!(took < Duration::from_secs(10), "{fate:?}: {took:?}");
        scene.check(&["n"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bind_that_may_yet_be_done_keeps_what_is_reserved() {
    for fate in [
        Fate::Dropped,
        Fate::Broken,
        Fate::Refused(500),
        Fate::Refused(504),
        Fate::Refused(408),
        Fate::Refused(409),
    ] {
        let (scene, result, took) = one(&[fate]).await;
        assert!(matches!(result, Err(BindError::Refused(_))), "{fate:?}: {result:?}");
        assert!(took >= Duration::from_secs(10), "{fate:?}: {took:?}");
        scene.check(&["n"]);
        assert_eq!(scene.used("n"), 0);
        assert_eq!(scene.bind("p", "n").await, Ok(()));
    }
    // In the meantime nobody else gets it.
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    scene.pod("q", &asks(1, 600, 0));
    scene.server.fate("p", &[Fate::Dropped]);
    let (first, second) = tokio::join!(scene.bind("p", "n"), scene.bind("q", "n"));
    assert!(first.is_err() && matches!(second, Err(BindError::NoRoom(_))), "{second:?}");
    assert_eq!(scene.bind("q", "n").await, Ok(()));
    scene.check(&["n"]);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_looked_into() {
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    let mut elsewhere = scene::pod("p", &asks(1, 600, 0));
    elsewhere["spec"]["nodeName"] = json!("m");
    scene.server.put(&elsewhere);
    assert_eq!(scene.bind("p", "n").await, Err(BindError::Taken("m".to_owned())));
    // Bound here, but by somebody else and without our claim.
    elsewhere["spec"]["nodeName"] = json!("n");
    scene.server.put(&elsewhere);
    assert_eq!(scene.bind("p", "n").await, Err(BindError::Taken("n".to_owned())));
    // Another pod of this name.
    elsewhere["metadata"]["uid"] = json!("other");
    scene.server.put(&elsewhere);
    assert_eq!(scene.bind("p", "n").await, Err(BindError::Gone));
    // It is being deleted: nothing can be bound any more.
    let mut leaving = scene::pod("q", &asks(1, 600, 0));
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    scene.server.put(&leaving);
    scene.note("q");
    scene.server.fate("q", &[Fate::Refused(409)]);
    let since = Instant::now();
    assert_eq!(scene.bind("q", "n").await, Err(BindError::Gone));
    assert!(since.elapsed() < Duration::from_secs(1));
    assert_eq!(scene.used("n"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_deleted_meanwhile_holds_nothing() {
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    scene.server.fate("p", &[Fate::Dropped]);
    let delete = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        scene.server.delete("p");
    };
    let (result, ()) = tokio::join!(scene.bind("p", "n"), delete);
    assert_eq!(result, Err(BindError::Gone));
    scene.check(&["n"]);
    // And once more, late.
    assert!(matches!(scene.bind("p", "n").await, Err(BindError::Refused(_))));
    scene.check(&["n"]);
}

#[tokio::test(start_paused = true)]
async fn while_the_api_server_is_away_nothing_is_given_back() {
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    scene.server.fate("p", &[Fate::Lost(Duration::ZERO)]);
    scene.server.be_deaf(30);
    let since = Instant::now();
    assert_eq!(scene.bind("p", "n").await, Err(BindError::Unsettled));
    assert_eq!((since.elapsed(), scene.used("n")), (ANSWERED_WITHIN, 600));
    // Who asks again joins the bind that goes on.
    assert_eq!(scene.bind("p", "m").await, Err(BindError::Elsewhere("n".to_owned())));
    scene.binder.idle().await;
    assert_eq!(scene.bind("p", "n").await, Ok(()));
    assert_eq!(scene.server.posts().len(), 1);
    scene.check(&["n"]);
}

#[tokio::test(start_paused = true)]
async fn the_same_bind_twice_at_once_is_one() {
    let scene = Scene::new(&["n"]);
    scene.pod("p", &asks(1, 600, 0));
    let results = tokio::join!(scene.bind("p", "n"), scene.bind("p", "n"), scene.bind("p", "m"));
    assert_eq!(results, (Ok(()), Ok(()), Err(BindError::Elsewhere("n".to_owned()))));
    assert_eq!(scene.server.posts().len(), 1);
    scene.check(&["n"]);
}

#[tokio::test(start_paused = true)]
async fn who_was_not_seen_by_filter_is_looked_up() {
    let scene = Scene::new(&["n"]);
    scene.server.put(&scene::pod("p", &asks(1, 600, 0)));
    assert_eq!(scene.bind("p", "n").await, Ok(()));
    assert_eq!(scene.bind("nobody", "n").await, Err(BindError::Gone));
    let mut other = request("p", "n");
    other.pod_uid = "another".to_owned();
    assert_eq!(scene.binder.bind(&other).await, Err(BindError::Gone));
    scene.server.put(&scene::pod("wrong", &asks(1, 1, 101)));
    assert!(matches!(scene.bind("wrong", "n").await, Err(BindError::Impossible(_))));
    scene.server.put(&scene::pod("plain", &json!({"cpu": "1"})));
    assert_eq!(scene.bind("plain", "n").await, Ok(()));
    assert_eq!(scene.server.pod("plain").unwrap()["metadata"]["annotations"], json!({}));
    scene.check(&["n"]);
}

#[tokio::test(start_paused = true)]
async fn only_who_leads_binds_and_what_is_reserved_when_that_ends_is_given_back() {
    let scene = Scene::new(&["n"]);
    let asked = AtomicBool::new(true);
    // Leads when it is asked first, and not any more when it is about to post.
    let leads = move || asked.swap(false, Ordering::Relaxed);
    let metrics = Metrics::new(scene.ledger.clone());
    let binder =
        Binder::new(scene.server.client(), scene::reader(), scene.ledger.clone(), metrics, Box::new(leads));
    scene.server.put(&scene::pod("p", &asks(1, 600, 0)));
    assert_eq!(binder.bind(&request("p", "n")).await, Err(BindError::NotLeading));
    assert_eq!((scene.used("n"), scene.server.gets()), (0, 1));
    assert_eq!(binder.bind(&request("p", "n")).await, Err(BindError::NotLeading));
    assert_eq!((scene.server.gets(), scene.server.posts().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn one_after_the_other_if_that_is_asked_for() {
    let mut scene = Scene::new(&["n", "m"]);
    let metrics = Metrics::new(scene.ledger.clone());
    let binder =
        Binder::new(scene.server.client(), scene::reader(), scene.ledger.clone(), metrics, Box::new(|| true));
    scene.binder = binder.one_by_one();
    for (uid, memory) in [("a", 600), ("b", 100), ("c", 500), ("elsewhere", 100)] {
        scene.pod(uid, &asks(1, memory, 0));
    }
    scene.server.fate("a", &[Fate::Dropped]);
    let since = Instant::now();
    let after = async |uid, node| (scene.bind(uid, node).await, since.elapsed());
    let (a, b, c, elsewhere) =
        tokio::join!(after("a", "n"), after("b", "n"), after("c", "n"), after("elsewhere", "m"));
    assert!(a.0.is_err() && a.1 >= settle::LANDS_WITHIN, "{a:?}");
    // Whoever comes next waits for the answer, not until it is known what it would have been.
    assert_eq!((b, elsewhere), ((Ok(()), post::PATIENCE), (Ok(()), Duration::ZERO)));
    assert!(matches!(c, (Err(BindError::NoRoom(_)), post::PATIENCE)), "{c:?}");
    scene.check(&["n", "m"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_names_nothing_is_refused_with_the_field() {
    let scene = Scene::new(&["n"]);
    for (change, said) in [
        ((|request| request.pod_uid = String::new()) as fn(&mut BindRequest), "PodUID"),
        (|request| request.pod_name = "../x".to_owned(), "PodName is ../x"),
        (|request| request.pod_namespace = String::new(), "PodNamespace is (empty)"),
        (|request| request.node = "a/b?c".to_owned(), "Node is a/b?c"),
    ] {
        let mut request = request("p", "n");
        change(&mut request);
        let error = scene.binder.bind(&request).await.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(scene.server.gets(), 0);
}
