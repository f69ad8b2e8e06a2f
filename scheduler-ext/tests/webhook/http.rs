//! What is answered, and to whom.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::registry::Registry;
use scheduler_ext::admission::certificates::own::{Keeper, Places};
use scheduler_ext::admission::certificates::served::Served;
use scheduler_ext::admission::meters::Meters;
use scheduler_ext::admission::review::{Question, answer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::api::Api;
use crate::client::{ask, counted, post, rules};

/// Status and body of the answer.
async fn answers<const N: usize>(requests: [String; N]) -> [(u16, String); N] {
    told(requests).await.0
}

/// And what Prometheus is told of it.
async fn told<const N: usize>(requests: [String; N]) -> ([(u16, String); N], String) {
    let api = Api::with_secret();
    let (served, meters) = (Arc::<Served>::default(), Meters::default());
    let mut registry = Registry::with_prefix("vgpu_scheduler");
    meters.register(&mut registry, &served);
    let name = || "vgpu-system/webhook".parse().unwrap();
    let places = Places { secret: name(), service: name(), configuration: "vgpu-scheduler".to_owned() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let address = counted(&served, &meters).await;
    // Who comes before there is a certificate is turned away, and no one else is for it.
    ask(address, "", now, "").await.unwrap_err();
    Keeper::new(&api.client(), &places, served).look(now).await.unwrap();
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let _ = plain.read_to_end(&mut Vec::new()).await;
    let mut answers = requests.map(|request| (0, request));
    for (status, text) in &mut answers {
        let answer = ask(address, &api.bundles()[0], now, text).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (*status, *text) = (head[9..12].parse().unwrap(), body.to_owned());
    }
    let mut metrics = String::new();
    encode(&mut metrics, &registry).unwrap();
    (answers, metrics)
}

fn review(object: &Value) -> String {
    let of = |kind: &str| json!({"group": "", "version": "v1", "resource": kind, "kind": kind});
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
        "uid": "u", "operation": "CREATE", "kind": of("Pod"), "resource": of("pods"), "userInfo": {},
        "object": object,
    }})
    .to_string()
}

#[tokio::test]
async fn each_path_has_its_question() {
    let limits = json!({"limits": {"nvidia.com/vgpu-memory": "8192", "nvidia.com/vgpu-cores": "200"}});
    let spec = json!({"containers": [{"name": "main", "resources": limits}]});
    let pod = json!({"metadata": {}, "spec": spec});
    let [mutated, validated, warned] = answers([
        post("/pods/mutate", &review(&pod)),
        post("/pods/validate", &review(&pod)),
        post("/templates/validate", &review(&json!({"spec": {"template": pod}}))),
    ])
    .await
    .map(|(status, body)| {
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["response"].clone()
    });
    assert_eq!([&mutated["allowed"], &mutated["patchType"]], [&json!(true), &json!("JSONPatch")]);
    assert_eq!([&validated["allowed"], &validated["status"]["code"]], [&json!(false), &json!(422)]);
    assert_eq!(warned["allowed"], true);
    let warning =
        "its pods will be refused: container main: nvidia.com/vgpu-cores is 200, which is more than 100";
    assert_eq!(warned["warnings"], json!([warning]));
}

#[tokio::test]
async fn what_is_no_question_is_told_what_is_wrong() {
    let large = "x".repeat((4 << 20) + 1);
    let [empty, large, elsewhere, get] = answers([
        post("/pods/mutate", ""),
        post("/pods/validate", &large),
        post("/mutate", ""),
        post("/pods/mutate", "").replacen("POST", "GET", 1),
    ])
    .await;
    assert_eq!(empty.0, 400);
    assert!(empty.1.starts_with("the body is no AdmissionReview: "), "{}", empty.1);
    assert_eq!(large, (400, "the request is larger than 4 MiB\n".to_owned()));
    assert_eq!([elsewhere.0, get.0], [404, 405]);
}

#[tokio::test]
async fn what_was_asked_and_until_when_the_certificate_is_valid_is_told() {
    let limits = json!({"limits": {"nvidia.com/vgpu-number": "65"}});
    let pod = json!({"spec": {"containers": [{"name": "main", "resources": limits}]}});
    let (_, metrics) = told([
        post("/pods/mutate", &review(&pod)),
        post("/pods/validate", &review(&pod)),
        post("/pods/validate", &review(&json!({}))),
        post("/pods/validate", ""),
        post("/templates/validate", &review(&json!({"spec": {"template": pod}}))),
    ])
    .await;
    for line in [
        r#"webhook_reviews_total{question="mutate",outcome="changed"} 1"#,
        r#"webhook_reviews_total{question="validate",outcome="refused"} 1"#,
        r#"webhook_reviews_total{question="validate",outcome="admitted"} 1"#,
        r#"webhook_reviews_total{question="validate",outcome="bad"} 1"#,
        r#"webhook_reviews_total{question="warn",outcome="warned"} 1"#,
        r#"webhook_review_duration_seconds_count{question="validate"} 3"#,
        "webhook_certificate_expiry_timestamp_seconds 1",
    ] {
        assert!(metrics.contains(&format!("\nvgpu_scheduler_{line}")), "{line} is not in\n{metrics}");
    }
}

#[test]
#[ignore = "a measurement"]
fn what_a_review_costs() {
    let limits = json!({"limits": {"nvidia.com/vgpu-memory": "8192"}});
    let env: Vec<Value> =
        (0..100).map(|of| json!({"name": format!("V{of}"), "value": "x".repeat(50)})).collect();
    let containers: Vec<Value> =
        (0..10).map(|of| json!({"name": format!("c{of}"), "env": env, "resources": limits})).collect();
    let body = review(&json!({"metadata": {}, "spec": {"containers": containers}}));
    let rules = rules();
    for question in [Question::Mutate, Question::Validate, Question::Warn] {
        let start = Instant::now();
        for _ in 0..100 {
            answer(&rules, question, body.as_bytes()).unwrap();
        }
        println!("{question:?}: {:?} for a pod of {} KiB", start.elapsed() / 100, body.len() >> 10);
    }
}
