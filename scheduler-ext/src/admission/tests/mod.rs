mod mutating;
mod pinning;
mod properties;
mod reviews;
mod validating;

use contract::resources::{Domain, NameStyle};
use json_patch::Patch;
use serde_json::{Value, json};

use super::mutate;
use super::{Malformed, Refusal, Rules};
use crate::request::Reader;

const OURS: &str = "system:serviceaccount:vgpu-system:vgpu-scheduler";

fn rules() -> Rules {
    Rules {
        reader: Reader::new(Domain::default(), NameStyle::Vgpu),
        scheduler_name: "vgpu-scheduler".to_owned(),
        claim_writers: vec![OURS.to_owned()],
        ledger: None,
    }
}

/// A container with these limits, without their domain.
fn container(name: &str, limits: &Value) -> Value {
    let limits: serde_json::Map<String, Value> = limits
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, amount)| (format!("nvidia.com/vgpu-{name}"), amount.clone()))
        .collect();
    json!({"name": name, "image": "i", "resources": {"limits": limits, "requests": limits}})
}

/// A pod with the fields of `spec` and a container that asks for one slice of 8 GiB.
fn pod(spec: &Value) -> Value {
    let mut pod = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"},
        "spec": {"containers": [container("main", &json!({"number": "1", "memory": "8192"}))]}});
    pod["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    pod
}

fn mutate(rules: &Rules, pod: &Value) -> Result<Result<Patch, Refusal>, Malformed> {
    mutate::mutate(rules, &pod.to_string())
}

/// What the pod is changed in.
fn patch(rules: &Rules, pod: &Value) -> Patch {
    mutate(rules, pod).unwrap().unwrap()
}

/// The pod as it is stored. Whoever asks again changes nothing.
fn mutated(rules: &Rules, pod: &Value) -> (Patch, Value) {
    let patch = patch(rules, pod);
    let mut after = pod.clone();
    json_patch::patch(&mut after, &patch).unwrap();
    assert_eq!(self::patch(rules, &after), Patch::default(), "not the same when it is done again");
    (patch, after)
}
