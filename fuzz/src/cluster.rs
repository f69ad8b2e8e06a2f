//! A small cluster for what schedules: two nodes with GPUs, a pod that has a part of one, and an API server that binds every pod.

use std::collections::BTreeMap;
use std::convert::Infallible;

use contract::claim::{Claim, ClaimedDevice, Mib};
use contract::resources::{Domain, NameStyle};
use contract::{Percent, Uuid};
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use scheduler_ext::ledger::Ledger;
use scheduler_ext::request::Reader;
use serde_json::{Value, json};

/// The nodes. The first one has two GPUs, the second one.
pub(crate) const NODES: [&str; 2] = ["n", "m"];

/// MiB of each GPU.
const MEMORY: u32 = 1000;

pub(crate) fn reader() -> Reader {
    Reader::new(Domain::default(), NameStyle::Vgpu)
}

/// What is known of the cluster.
pub(crate) fn ledger() -> Ledger {
    let mut ledger = Ledger::new(reader());
    for (name, gpus) in NODES.into_iter().zip([2, 1]) {
        ledger.note_node(&serde_json::from_value(node(name, gpus)).expect("a node"));
    }
    ledger.note_pod(&serde_json::from_value(running()).expect("a pod"));
    ledger
}

fn uuid(index: u32) -> Uuid {
    Uuid([index.to_le_bytes()[0]; 16])
}

fn node(name: &str, gpus: u32) -> Value {
    sample_node::node(name, (0..gpus).map(|index| sample_node::gpu(index, uuid(index), MEMORY)).collect())
}

/// It has most of the first GPU.
fn running() -> Value {
    let device =
        ClaimedDevice { uuid: uuid(0), memory: Mib::new(700).expect("not zero"), cores: Percent::new(60) };
    let containers = BTreeMap::from([("main".parse().expect("a name"), vec![device])]);
    let claim = Claim::new("v".parse().expect("a uid"), NODES[0].to_owned(), containers).expect("a claim");
    let limits = json!({"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-memory": "700", "nvidia.com/vgpu-cores": "60"});
    json!({
        "metadata": {"name": "v", "namespace": "team", "uid": "v", "annotations": {"nvidia.com/vgpu-claim": claim.encode()}},
        "spec": {"nodeName": NODES[0], "containers": [{"name": "main", "resources": {"limits": limits}}]},
        "status": {"phase": "Running"},
    })
}

/// A client of an API server that has no pod to show and binds every one. Whatever is claimed there has to be a claim.
pub(crate) fn client() -> Client {
    Client::new(tower::service_fn(|request| async { Ok::<_, Infallible>(serve(request).await) }), "default")
}

async fn serve(request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let code = if head.method == Method::GET { 404 } else { 201 };
    if head.method == Method::POST {
        let body = body.collect_bytes().await.expect("a body");
        let binding: Value = serde_json::from_slice(&body).expect("JSON");
        if let Some(text) = binding["metadata"]["annotations"]["nvidia.com/vgpu-claim"].as_str() {
            let claim = Claim::decode(text).expect("a claim that can be read");
            assert_eq!(Some(claim.node()), binding["target"]["name"].as_str());
            assert_eq!(Some(claim.pod().as_str()), binding["metadata"]["uid"].as_str());
        }
    }
    let status = json!({"kind": "Status", "apiVersion": "v1", "code": code});
    Response::builder().status(code).body(Body::from(status.to_string().into_bytes())).expect("an answer")
}
