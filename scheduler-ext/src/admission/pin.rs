//! A pod that is made with a node's name never meets a scheduler, and so nobody gives it a claim. It asks for that node instead.

use serde_json::{Value, json};

use super::edit::set;

/// Takes the node's name out of `pod` and wants `node` by affinity, besides what it wants already.
pub(super) fn pin(pod: &mut Value, node: &str) {
    const TERMS: [&str; 5] = [
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    ];
    if let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("nodeName");
    }
    let here = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    let terms = TERMS.iter().try_fold(&mut *pod, |value, key| value.get_mut(*key));
    match terms.and_then(Value::as_array_mut).filter(|terms| !terms.is_empty()) {
        // One of them has to hold. An empty one never does, and is to stay so.
        Some(terms) => terms.iter_mut().filter(|term| selects(term)).for_each(|term| add(term, &here)),
        None => set(pod, &TERMS, json!([{"matchFields": [here]}])),
    }
}

fn selects(term: &Value) -> bool {
    let parts = ["matchExpressions", "matchFields"];
    parts.iter().any(|part| term[part].as_array().is_some_and(|of| !of.is_empty()))
}

fn add(term: &mut Value, field: &Value) {
    match term.get_mut("matchFields").and_then(Value::as_array_mut) {
        Some(fields) => fields.push(field.clone()),
        None => set(term, &["matchFields"], json!([field])),
    }
}
