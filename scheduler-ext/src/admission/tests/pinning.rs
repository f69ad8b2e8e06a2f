use super::*;

fn terms(affinity: &Value) -> Value {
    let spec = json!({"nodeName": "n1", "affinity": affinity});
    let (_, after) = mutated(&rules(), &pod(&spec));
    assert_eq!(after["spec"].get("nodeName"), None);
    let node = &after["spec"]["affinity"]["nodeAffinity"];
    node["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"].clone()
}

fn here() -> Value {
    json!({"key": "metadata.name", "operator": "In", "values": ["n1"]})
}

#[test]
fn a_node_by_name_becomes_an_affinity_so_that_a_scheduler_sees_the_pod() {
    for affinity in [Value::Null, json!({}), json!({"nodeAffinity": null}), json!({"podAffinity": {}})] {
        assert_eq!(terms(&affinity), json!([{"matchFields": [here()]}]), "{affinity}");
    }
}

#[test]
fn what_a_pod_wants_of_nodes_already_is_kept_in_every_term() {
    let zone = json!({"key": "zone", "operator": "In", "values": ["a"]});
    let other = json!({"key": "metadata.name", "operator": "NotIn", "values": ["n2"]});
    let wanted = json!({"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [zone]},
            {"matchFields": [other], "matchExpressions": null},
            {},
        ]},
        "preferredDuringSchedulingIgnoredDuringExecution": [],
    }});
    let kept = json!([
        {"matchExpressions": [zone], "matchFields": [here()]},
        {"matchFields": [other, here()], "matchExpressions": null},
        {},
    ]);
    assert_eq!(terms(&wanted), kept);
}

#[test]
fn the_node_of_another_schedulers_pod_and_of_a_static_pod_stays() {
    let (patch, _) = mutated(&rules(), &pod(&json!({"nodeName": "n1", "schedulerName": "other"})));
    assert_eq!(patch, Patch::default());
    let mut mirror = pod(&json!({"nodeName": "n1"}));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "hash"});
    assert_eq!(super::patch(&rules(), &mirror), Patch::default());
}

#[test]
fn a_node_that_cannot_be_and_one_among_more_terms_than_anybody_writes_are_refused() {
    let refusal = |node: &str, count: usize| {
        let terms = vec![json!({"matchFields": [here()]}); count];
        let affinity = json!({"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms},
        }});
        let pinned = mutate(&rules(), &pod(&json!({"nodeName": node, "affinity": affinity}))).unwrap();
        pinned.err().map(|refusal| refusal.to_string())
    };
    assert_eq!([refusal(&"n".repeat(253), 64), refusal("", 65)], [None, None]);
    let long = "nodeName has 254 bytes, and names of nodes 253 at the most; leave it out";
    assert_eq!(refusal(&"n".repeat(254), 1).as_deref(), Some(long));
    let many = "nodeName would be added to 65 terms of the required node affinity, and 64 may be at the most; \
                leave one of the two out";
    assert_eq!(refusal("n1", 65).as_deref(), Some(many));
}
