use axum::body::to_bytes;
use axum::http::Request;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::extender;
use crate::ledger::tests::scene::{self, World, asks};
use crate::watch::Hearing;

/// With node `n` of one GPU, and an API server that is not there.
fn extender(hearing: Hearing) -> Arc<Extender> {
    let mut world = World::new();
    world.node("n", &[1000]);
    Arc::new(extender::tests::extender(world, hearing))
}

async fn ask(extender: &Arc<Extender>, verb: &str, body: impl Into<Body>) -> (StatusCode, Value) {
    let request = Request::post(format!("/scheduler/{verb}")).body(body.into()).unwrap();
    let response = router(Arc::clone(extender)).oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
    (status, serde_json::from_slice(&body).unwrap_or_else(|_| text()))
}

fn question(limits: &Value) -> Vec<u8> {
    json!({"Pod": scene::pod("p", limits), "Nodes": null, "NodeNames": ["n", "m"]}).to_string().into_bytes()
}

#[tokio::test]
async fn no_verdict_stands_on_what_may_be_old() {
    let extender = extender(Hearing::Doubtful);
    let (_, answer) = ask(&extender, "filter", question(&asks(1, 2000, 0))).await;
    assert!(answer["Error"].as_str().unwrap().contains("will be tried again"), "{answer}");
    let (_, answer) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    assert_eq!((&answer["Error"], &answer["NodeNames"]), (&json!(""), &json!(["n"])));
}

#[tokio::test]
async fn questions_are_answered_and_counted() {
    let extender = extender(Hearing::Clear);
    let (status, answer) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    let reasons = json!({"m": "node missing from cache"});
    let fits = json!({"Nodes": null, "NodeNames": ["n"], "FailedNodes": {},
        "FailedAndUnresolvableNodes": reasons, "Error": ""});
    assert_eq!((status, answer), (StatusCode::OK, fits));
    let (_, answer) = ask(&extender, "prioritize", question(&asks(1, 100, 0))).await;
    assert_eq!(answer, json!([]), "without a policy all are alike");
    let preempt = json!({"Pod": scene::pod("p", &asks(1, 100, 0)), "NodeNameToMetaVictims":
        {"n": {"Pods": [{"UID": "v"}], "NumPDBViolations": 0}, "m": {"Pods": [{"UID": "w"}]}}});
    let (_, answer) = ask(&extender, "preempt", preempt.to_string()).await;
    let victims = json!({"n": {"Pods": [{"UID": "v"}], "NumPDBViolations": 0}});
    assert_eq!(answer, json!({"NodeNameToMetaVictims": victims}));
    let text = extender.metrics.text().unwrap();
    for verb in ["filter", "prioritize", "preempt"] {
        assert!(text.contains(&format!(r#"requests_total{{verb="{verb}",outcome="ok"}} 1"#)), "{text}");
    }
}

#[tokio::test]
async fn nodes_that_are_better_than_others_are_told() {
    let mut pod = scene::pod("p", &asks(1, 100, 0));
    pod["metadata"]["annotations"] = json!({"nvidia.com/node-scheduler-policy": "binpack"});
    let request = json!({"Pod": pod, "NodeNames": ["n", "m"]}).to_string();
    let (_, answer) = ask(&extender(Hearing::Clear), "prioritize", request).await;
    assert_eq!(answer, json!([{"Host": "n", "Score": 10}]));
}

#[tokio::test]
async fn what_is_only_tried_out_is_answered_and_not_remembered() {
    let extender = extender(Hearing::Clear);
    let (_, tried) = ask(&extender, "filter-dryrun", question(&asks(1, 100, 0))).await;
    let bind = json!({"PodName": "p", "PodNamespace": "team", "PodUID": "p", "Node": "n"}).to_string();
    let (_, answer) = ask(&extender, "bind", bind).await;
    // It has to be looked up.
    assert!(answer["Error"].as_str().unwrap().starts_with("the pod cannot be read: "), "{answer}");
    let (_, answer) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    assert_eq!((answer, tried["NodeNames"].clone()), (tried, json!(["n"])));
}

#[tokio::test]
async fn pods_that_ask_for_no_slice_go_anywhere() {
    let extender = extender(Hearing::Clear);
    let (_, answer) = ask(&extender, "filter", question(&json!({"cpu": "1"}))).await;
    assert_eq!(answer["NodeNames"], json!(["n", "m"]));
    let preempt = json!({"Pod": scene::pod("p", &json!({})), "NodeNameToMetaVictims": {"x": {"Pods": null}}});
    let (_, answer) = ask(&extender, "preempt", preempt.to_string()).await;
    assert_eq!(answer["NodeNameToMetaVictims"]["x"], json!({"Pods": [], "NumPDBViolations": 0}));
}

#[tokio::test]
async fn before_everything_is_listed_nobody_is_refused() {
    let extender = extender(Hearing::Nothing);
    let (status, answer) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    assert_eq!(status, StatusCode::OK);
    assert!(answer["Error"].as_str().unwrap().contains("not been listed yet"), "{answer}");
}

#[tokio::test]
async fn a_pod_that_is_being_bound_is_tried_again_later() {
    let extender = extender(Hearing::Clear);
    let pod = serde_json::from_value(scene::pod("p", &asks(1, 100, 0))).unwrap();
    let asked = scene::reader().read(&pod).unwrap().unwrap();
    extender.ledger.write().assume(&scene::facts("p"), &asked, "n").unwrap();
    let (_, answer) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    assert_eq!(answer["Error"], "the pod has GPUs of node n already: will be tried again");
}

#[tokio::test]
async fn what_is_no_request_is_an_error_where_kube_scheduler_reads_it() {
    let extender = extender(Hearing::Clear);
    for body in
        ["", "{", "[]", "null", "{\"Pod\": 7}", "{\"Pod\": {\"metadata\": 7}}", "{\"NodeNames\": [1]}"]
    {
        for verb in ["filter", "bind"] {
            let (status, answer) = ask(&extender, verb, body).await;
            assert_eq!(status, StatusCode::OK);
            let error = answer["Error"].as_str().unwrap();
            assert!(!error.is_empty(), "{verb} {body}");
        }
    }
    let (status, text) = ask(&extender, "prioritize", "{").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.as_str().unwrap().contains("cannot be understood: EOF"), "{text}");
    let (status, text) = ask(&extender, "scores", "{}").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(text.as_str().unwrap().contains("/scheduler/filter"));
}

#[tokio::test]
async fn five_thousand_whole_nodes_are_taken_and_given_back() {
    let extender = extender(Hearing::Clear);
    let images: Vec<Value> = (0..50)
        .map(|image| json!({"names": [format!("registry.example/team/image-{image}@sha256:{image:064}")], "sizeBytes": 1}))
        .collect();
    let node = |index: usize| {
        let name = if index == 7 { "n".to_owned() } else { format!("node-{index}") };
        json!({"metadata": {"name": name, "labels": {"a": "b"}}, "status": {"images": images}})
    };
    let nodes: Vec<Value> = (0..5000).map(node).collect();
    let body = json!({"Pod": scene::pod("p", &asks(1, 100, 0)), "Nodes": {"metadata": {}, "items": nodes}});
    let body = body.to_string();
    assert!(body.len() > 20 << 20, "{}", body.len());
    let (_, answer) = ask(&extender, "filter", body).await;
    assert_eq!(answer["Nodes"]["items"], json!([nodes[7]]));
    assert_eq!(answer["FailedAndUnresolvableNodes"].as_object().unwrap().len(), 4999);
}

#[tokio::test]
async fn a_panic_is_one_answer() {
    let extender = extender(Hearing::Clear);
    let answered = answer(&extender, Verb::Filter, Body::from("null"), |_, _| panic!("on purpose")).await;
    assert_eq!(answered.unwrap_err().to_string(), "the scheduler extender has a fault: see its log");
    let (status, _) = ask(&extender, "filter", question(&asks(1, 100, 0))).await;
    assert_eq!(status, StatusCode::OK);
}

/// Names of fields, of resources and of the node.
const KEYS: [&str; 29] = [
    "Pod",
    "Nodes",
    "NodeNames",
    "NodeNameToVictims",
    "NodeNameToMetaVictims",
    "PodUID",
    "PodName",
    "Node",
    "Pods",
    "UID",
    "NumPDBViolations",
    "items",
    "metadata",
    "name",
    "uid",
    "annotations",
    "ownerReferences",
    "spec",
    "containers",
    "initContainers",
    "resources",
    "limits",
    "nvidia.com/vgpu-number",
    "nvidia.com/vgpu-memory",
    "nvidia.com/vgpu-cores",
    "tolerations",
    "affinity",
    "priority",
    "n",
];

/// JSON like a request, with anything in any place.
fn likely() -> impl Strategy<Value = Value> {
    let word =
        prop::sample::select(vec!["n", "p", "0", "1", "-1", "1Gi", "9e99", "Always", "\u{0}", "GPU-x", ""]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let key = prop::sample::select(KEYS.to_vec());
    leaf.prop_recursive(7, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|map| Value::from(serde_json::Map::from_iter(map))),
        ]
    })
}

/// The answer to a question that is the only one.
fn alone(verb: &str, body: impl Into<Body>) -> (StatusCode, Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { ask(&extender(Hearing::Clear), verb, body).await })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_sent_makes_it_fall_over(request in likely(), verb in prop::sample::select(vec!["filter", "prioritize", "preempt"])) {
        let (status, answer) = alone(verb, request.to_string());
        prop_assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR);
        prop_assert!(answer["Error"].as_str().is_none_or(|error| !error.contains("has a fault")));
        prop_assert!(verb != "filter" || status == StatusCode::OK);
    }

    #[test]
    fn bytes_that_are_no_json_are_told_so(request in prop::collection::vec(any::<u8>(), 0..200)) {
        let (status, answer) = alone("filter", request);
        prop_assert_eq!(status, StatusCode::OK);
        prop_assert!(!answer["Error"].as_str().unwrap_or_default().is_empty());
    }
}
