//! Against what Go's own types of 1.36 write, in `tests/wire`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::*;

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire/", $name, ".json"))
    };
}

fn filter(text: &str) -> FilterRequest<'_> {
    serde_json::from_str(text).unwrap()
}

fn written(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn names_are_read_and_answered_as_names() {
    let request = filter(golden!("filter-names"));
    let pod = request.pod.unwrap();
    assert_eq!(pod.metadata.uid.as_deref(), Some("0f3a1c52-6c1e-4d2e-9d6f-2f1f3b1c4d5e"));
    assert_eq!(pod.spec.containers[0].resources.amount("nvidia.com/vgpu-memory"), Some("8192"));
    assert!(request.offer.names().eq(["n1", "n2"]));

    let mut answer = FilterAnswer::of(request.offer);
    answer.failed_nodes.0.push(("n3".into(), "Insufficient vGPU memory".into()));
    let mut theirs: Value = serde_json::from_str(golden!("answer-filter")).unwrap();
    // Go's null map is empty as well.
    theirs["FailedAndUnresolvableNodes"] = json!({});
    assert_eq!(written(&answer), theirs);
}

#[test]
fn nodes_are_answered_with_every_field_that_they_came_with() {
    let text = golden!("filter-nodes");
    let request = filter(text);
    assert!(request.offer.names().eq(["n1", "n2"]));
    let answer = written(&FilterAnswer::of(request.offer.split(|name| (name != "n1").then_some(())).0));
    let sent: Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["Nodes"]["items"], json!([sent["Nodes"]["items"][0]]));
    assert_eq!(answer["NodeNames"], Value::Null);
}

#[test]
fn no_nodes_are_none_in_the_same_form() {
    let names = FilterAnswer::of(filter(golden!("filter-no-names")).offer);
    assert_eq!((written(&names)["NodeNames"].clone(), names.nodes.is_none()), (json!([]), true));
    let nodes = FilterAnswer::of(filter(golden!("filter-no-nodes")).offer);
    assert_eq!((written(&nodes)["Nodes"]["items"].clone(), nodes.node_names), (json!([]), None));
}

#[test]
fn names_stay_where_they_are_unless_they_are_written_with_escapes() {
    let Offer::Names(names) = filter(r#"{"NodeNames": ["a", "\u0062"]}"#).offer else {
        panic!("names were sent")
    };
    assert!(matches!(names.as_slice(), [Cow::Borrowed("a"), Cow::Owned(b)] if b == "b"), "{names:?}");
}

#[test]
fn null_and_missing_are_alike_and_small_letters_too() {
    // creationTimestamp is null up to 1.33.
    let pod = json!({"metadata": {"name": "p", "creationTimestamp": null, "annotations": null}, "spec": {}});
    for request in [
        json!({"Pod": pod, "Nodes": null, "NodeNames": ["a"]}),
        json!({"Pod": pod, "NodeNames": ["a"]}),
        json!({"pod": pod, "nodenames": ["a"], "anything": 1}),
    ] {
        let text = request.to_string();
        let request = filter(&text);
        assert!(
            request.pod.unwrap().metadata.name.as_deref() == Some("p") && request.offer.names().eq(["a"])
        );
    }
    let nothing = filter(r#"{"Pod":null,"Nodes":null,"NodeNames":null}"#);
    assert!(nothing.pod.is_none() && nothing.offer.is_empty());
    let bind: BindRequest = serde_json::from_str(r#"{"PodName":null,"podUid":"u"}"#).unwrap();
    assert_eq!((bind.pod_uid.as_str(), bind.node.as_str()), ("u", ""));
    let preempt: PreemptRequest =
        serde_json::from_str(r#"{"NodeNameToMetaVictims":{"n":null,"m":{"Pods":null}}}"#).unwrap();
    assert_eq!(preempt.victims()["n"], MetaVictims::default());
    assert_eq!(preempt.victims()["m"], MetaVictims::default());
}

#[test]
fn bindings_are_read_and_answered() {
    let request: BindRequest = serde_json::from_str(golden!("bind")).unwrap();
    let uid = "0f3a1c52-6c1e-4d2e-9d6f-2f1f3b1c4d5e".to_owned();
    let (pod_name, pod_namespace, node) = ("p".to_owned(), "ml".to_owned(), "n1".to_owned());
    assert_eq!(request, BindRequest { pod_name, pod_namespace, pod_uid: uid, node });
    let theirs: Value = serde_json::from_str(golden!("answer-bind")).unwrap();
    assert_eq!(written(&BindAnswer::default()), theirs);
}

#[test]
fn victims_are_read_in_both_forms_and_answered_by_uid() {
    let by_uid: PreemptRequest = serde_json::from_str(golden!("preempt-meta")).unwrap();
    let mut victims = by_uid.victims();
    assert_eq!(victims["n1"].pods[0].uid, "v1");
    assert!(victims.remove("n2").unwrap().pods.is_empty());
    let theirs: Value = serde_json::from_str(golden!("answer-preempt")).unwrap();
    assert_eq!(written(&PreemptAnswer { node_name_to_meta_victims: victims }), theirs);

    let whole: PreemptRequest = serde_json::from_str(golden!("preempt-victims")).unwrap();
    let victims = whole.victims();
    assert_eq!(victims["n1"].pods[0].uid, "0f3a1c52-6c1e-4d2e-9d6f-2f1f3b1c4d5e");
    assert_eq!((victims["n1"].num_pdb_violations, victims["n2"].pods.len()), (1, 0));
}

#[test]
fn priorities_are_a_list() {
    let theirs: Value = serde_json::from_str(golden!("answer-prioritize")).unwrap();
    assert_eq!(written(&[HostPriority { host: "n1".into(), score: 10 }]), theirs);
}
