use std::borrow::Cow;
use std::time::Instant;

use serde_json::{Value, json};

use super::*;
use crate::extender::filter::{Avoid, Manner, filter, refuse_all};
use crate::extender::wire::FilterAnswer;
use crate::ledger::Setback;
use scene::{asks, node, pod};

/// What is said of node `n`: fits, or the reason and whether preemption is out of the question.
fn verdict(world: &World, pod: &Value) -> Result<(), (String, bool)> {
    let answer = filter(&world.ledger, &parsed(pod), &ask(pod), names(&["n"]), Manner::default());
    assert_eq!(answer.error, "");
    let reason = |reasons: &[(Cow<'_, str>, Cow<'static, str>)]| {
        assert!(reasons.len() <= 1 && reasons.iter().all(|(node, _)| node == "n"));
        reasons.first().map(|(_, reason)| reason.to_string())
    };
    let failed = reason(&answer.failed_nodes.0).map(|text| (text, false));
    let hopeless = reason(&answer.failed_and_unresolvable_nodes.0).map(|text| (text, true));
    let fits = answer.node_names.unwrap() == ["n"];
    assert_eq!(fits, failed.is_none() && hopeless.is_none());
    failed.or(hopeless).map_or(Ok(()), Err)
}

fn unfit(phrase: &str, is_final: bool) -> Result<(), (String, bool)> {
    Err((phrase.to_owned(), is_final))
}

/// What is different about a node.
type Change = fn(&mut Value);

/// A node with one change of its registration, as text.
fn altered(from: &str, to: &str) -> Value {
    let mut node = node("n", &[1000]);
    for key in ["nvidia.com/node-device-register", "nvidia.com/node-config-info"] {
        let text = node["metadata"]["annotations"][key].as_str().unwrap().replace(from, to);
        node["metadata"]["annotations"][key] = json!(text);
    }
    node
}

#[test]
fn what_is_wrong_with_a_node_is_said_and_preemption_does_not_mend_it() {
    let changes: [(&str, Change); 6] = [
        ("node not ready", |node| node["status"]["conditions"][0]["status"] = json!("Unknown")),
        ("node not vGPU-enabled", |node| node["status"]["allocatable"] = json!({})),
        ("node has no vGPU registered", |node| {
            node["metadata"]["annotations"]["nvidia.com/node-device-register"] = Value::Null;
        }),
        ("node has no vGPU configuration", |node| {
            node["metadata"]["annotations"]["nvidia.com/node-config-info"] = Value::Null;
        }),
        ("node vGPU registry invalid", |node| {
            node["metadata"]["annotations"]["nvidia.com/node-device-register"] = json!("{");
        }),
        ("GPUs also offered by another device plugin", |node| {
            node["status"]["allocatable"]["nvidia.com/gpu"] = json!("1");
        }),
    ];
    let pod = pod("p", &asks(1, 100, 0));
    for (phrase, change) in changes {
        let mut world = World::new();
        let mut node = node("n", &[1000]);
        change(&mut node);
        if let Some(annotations) = node["metadata"]["annotations"].as_object_mut() {
            annotations.retain(|_, value| !value.is_null());
        }
        world.note_node(&node);
        assert_eq!(verdict(&world, &pod), unfit(phrase, true));
    }
    assert_eq!(verdict(&World::new(), &pod), unfit("node missing from cache", true));
}

#[test]
fn a_running_pod_with_a_claim_that_nobody_can_read_closes_its_node() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut broken = scene::bound("b", &asks(1, 1, 0), &scene::claim("b", "n", &[(0, 1, 0)]), "Running");
    broken["metadata"]["annotations"] = json!({"nvidia.com/vgpu-claim": "{"});
    world.pod(&broken);
    let phrase = "node has a pod with an unreadable vGPU claim";
    assert_eq!(verdict(&world, &pod("p", &asks(1, 100, 0))), unfit(phrase, true));
}

#[test]
fn what_others_hold_is_in_the_way_until_they_go() {
    let held = [
        ("Insufficient vGPU memory", asks(1, 600, 0), (0, 600, 0), asks(1, 500, 0)),
        ("Insufficient vGPU cores", asks(1, 1, 60), (0, 1, 60), asks(1, 1, 50)),
        ("GPU used exclusively", asks(1, 0, 0), (0, 1000, 100), asks(1, 1, 1)),
        ("GPU in use", asks(1, 1, 0), (0, 1, 0), asks(1, 1, 100)),
    ];
    for (phrase, theirs, device, ours) in held {
        let mut world = World::new();
        world.node("n", &[1000]);
        hold(&mut world, "other", &theirs, "n", &[device]);
        assert_eq!(verdict(&world, &pod("p", &ours)), unfit(phrase, false));
        world.gone("other");
        assert_eq!(verdict(&world, &pod("p", &ours)), Ok(()));
    }
    let mut world = World::new();
    world.node("n", &[1000]);
    for index in 0..10 {
        hold(&mut world, &format!("o{index}"), &asks(1, 1, 0), "n", &[(0, 1, 0)]);
    }
    assert_eq!(verdict(&world, &pod("p", &asks(1, 1, 0))), unfit("Insufficient vGPU slots", false));
}

#[test]
fn what_a_device_is_stays_in_the_way() {
    let wants = |key: &str, value: &str| {
        let mut pod = pod("p", &asks(1, 100, 0));
        pod["metadata"]["annotations"] = json!({ key: value });
        pod
    };
    let cases = [
        ("GPU unhealthy", altered("\"healthy\":true", "\"healthy\":false"), pod("p", &asks(1, 100, 0))),
        ("GPU has MIG enabled", altered("\"mig\":false", "\"mig\":true"), pod("p", &asks(1, 100, 0))),
        ("GPU type mismatch", node("n", &[1000]), wants("nvidia.com/include-gpu-type", "A100")),
        ("GPU UUID mismatch", node("n", &[1000]), wants("nvidia.com/include-gpu-uuid", "GPU-none")),
        (
            "node memory type mismatch",
            node("n", &[1000]),
            wants("nvidia.com/memory-scheduler-policy", "virtual"),
        ),
        ("Insufficient GPU cards", node("n", &[1000]), pod("p", &asks(2, 100, 0))),
    ];
    for (phrase, node, pod) in cases {
        let mut world = World::new();
        world.note_node(&node);
        assert_eq!(verdict(&world, &pod), unfit(phrase, true));
    }
}

#[test]
fn how_devices_lie_and_what_containers_want_together_can_be_in_the_way() {
    let mut world = World::new();
    world.node("n", &[1000, 1000]);
    let mut near = pod("p", &asks(2, 100, 0));
    for (mode, phrase) in
        [("numa-strict", "NUMA topology unsatisfied"), ("link-strict", "Link topology unsatisfied")]
    {
        near["metadata"]["annotations"] = json!({"nvidia.com/device-topology-mode": mode});
        assert_eq!(verdict(&world, &near), unfit(phrase, false));
    }
    let mut two = pod("p", &asks(2, 600, 0));
    let first = two["spec"]["containers"][0].clone();
    two["spec"]["containers"] = json!([first, {"name": "second", "resources": first["resources"]}]);
    assert_eq!(verdict(&world, &two), unfit("Insufficient GPU resources", false));
}

#[test]
fn nodes_come_back_in_the_form_and_order_in_which_they_were_offered() {
    let mut world = World::new();
    for (name, memory) in [("a", 1000), ("b", 10), ("c", 1000)] {
        world.node(name, &[memory]);
    }
    let pod = pod("p", &asks(1, 100, 0));
    let by_name =
        filter(&world.ledger, &parsed(&pod), &ask(&pod), names(&["c", "b", "a"]), Manner::default());
    assert_eq!(by_name.node_names.unwrap(), ["c", "a"]);
    let nodes = ["c", "b", "a"].map(|name| json!({"metadata": {"name": name}, "spec": {"podCIDR": "x"}}));
    let offer = whole(&nodes);
    let answer = filter(&world.ledger, &parsed(&pod), &ask(&pod), offer, Manner::default());
    let answer = serde_json::to_value(&answer).unwrap();
    assert_eq!(answer["Nodes"]["items"], json!([nodes[0], nodes[2]]));
    assert_eq!(
        (&answer["NodeNames"], &answer["FailedNodes"]),
        (&Value::Null, &json!({"b": "Insufficient vGPU memory"}))
    );
}

#[test]
fn what_nobody_can_have_is_refused_everywhere_with_its_text() {
    let pod = parsed(&pod("p", &json!({"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-cores": "101"})));
    let error = scene::reader().read(&pod).unwrap_err();
    let answer = refuse_all(&error, names(&["a", "b"]));
    assert_eq!((answer.node_names.as_deref(), answer.error.as_str()), (Some(&[][..]), ""));
    assert_eq!(answer.failed_and_unresolvable_nodes.0.len(), 2);
    assert!(answer.failed_and_unresolvable_nodes.0[0].1.contains("101, which is more than 100"));
}

/// As [`offered_hundred`], where kube-scheduler looks at a part of the nodes.
fn sampled(change: impl Fn(&mut Value), pod: &Value) -> FilterAnswer<'static> {
    offered_hundred(change, pod, true)
}

/// A hundred nodes that are full are offered, and one is not that has room.
fn offered_hundred(change: impl Fn(&mut Value), pod: &Value, is_sampled: bool) -> FilterAnswer<'static> {
    let mut world = World::new();
    let offered: Vec<String> = (0..100).map(|index| format!("n{index}")).collect();
    for name in &offered {
        world.node(name, &[10]);
    }
    let mut other = node("other", &[1000]);
    change(&mut other);
    world.note_node(&other);
    let offered = Offer::Names(offered.into_iter().map(Cow::Owned).collect());
    filter(&world.ledger, &parsed(pod), &ask(pod), offered, Manner { is_sampled, avoid: None })
}

#[test]
fn a_node_beyond_the_sample_that_fits_makes_kube_scheduler_try_again() {
    let mut pod = pod("p", &asks(1, 100, 0));
    let error = sampled(|_| {}, &pod).error;
    assert_eq!(error, "0 of 100 offered nodes fit, other does: will be tried again");

    let taint = |node: &mut Value| node["spec"] = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
    let shut: [Change; 3] = [
        |node| node["spec"] = json!({"unschedulable": true}),
        |node| node["status"]["conditions"] = json!([]),
        |node| node["spec"] = json!({"taints": [{"key": "k", "effect": "NoExecute"}]}),
    ];
    for shut in shut {
        let answer = sampled(shut, &pod);
        assert_eq!((answer.error.as_str(), answer.failed_nodes.0.len()), ("", 100));
    }
    pod["spec"]["tolerations"] = json!([{"operator": "Exists"}]);
    assert_ne!(sampled(taint, &pod).error, "");
    pod["spec"]["nodeSelector"] = json!({"zone": "a"});
    assert_eq!(sampled(taint, &pod).error, "");
    let label = |node: &mut Value| node["metadata"]["labels"] = json!({"zone": "a"});
    assert_ne!(sampled(label, &pod).error, "");
    let terms = json!([{"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}]);
    pod["spec"]["affinity"] = json!({"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms},
    }});
    assert_eq!(sampled(label, &pod).error, "");
}

#[test]
fn nodes_that_kube_scheduler_keeps_to_itself_are_no_reason_to_try_again() {
    let answer = offered_hundred(|_| {}, &pod("p", &asks(1, 100, 0)), false);
    assert_eq!(
        (answer.error.as_str(), answer.failed_nodes.0.len()),
        ("", 100),
        "so that it may preempt pods"
    );
}

#[test]
fn where_pods_of_a_controller_could_not_start_is_the_last_choice() {
    let mut world = World::new();
    for name in ["n", "m"] {
        world.node(name, &[1000]);
    }
    let mut failed = pod("failed", &asks(1, 100, 0));
    failed["spec"]["nodeName"] = json!("n");
    failed["status"] = json!({"phase": "Failed", "reason": "UnexpectedAdmissionError",
        "message": "Allocate failed: nvidia.com/vgpu-number"});
    let owner = json!([{"uid": "owner", "kind": "ReplicaSet", "name": "r", "apiVersion": "apps/v1", "controller": true}]);
    failed["metadata"]["ownerReferences"] = owner;
    let (now, next) = (Instant::now(), pod("next", &asks(1, 100, 0)));
    world.ledger.note_setback(Setback::of(&parsed(&failed), &scene::reader()).unwrap(), now);
    let fits = |controller, offered: &[&'static str]| {
        let manner = Manner { avoid: Some(Avoid { controller, now }), is_sampled: false };
        let answer = filter(&world.ledger, &parsed(&next), &ask(&next), names(offered), manner);
        (
            answer.node_names.unwrap(),
            answer.failed_nodes.0.into_iter().map(|(_, why)| why).collect::<Vec<_>>(),
        )
    };
    let said = vec![Cow::Borrowed("GPUs could not be had here recently")];
    assert_eq!(fits("owner", &["n", "m"]), (vec![Cow::Borrowed("m")], said));
    assert_eq!(fits("owner", &["n"]), (vec![Cow::Borrowed("n")], vec![]));
    assert_eq!(fits("another", &["n", "m"]).0, ["n", "m"]);
}

#[test]
fn fewer_nodes_than_kube_scheduler_samples_are_all_that_it_had() {
    let mut world = World::new();
    world.node("n", &[10]);
    world.node("other", &[1000]);
    let pod = pod("p", &asks(1, 100, 0));
    assert_eq!(verdict(&world, &pod), unfit("Insufficient vGPU memory", false));
}
