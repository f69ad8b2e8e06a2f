use placement::Policy;

use super::*;

#[test]
fn the_scheduler_of_who_names_none_is_ours() {
    for (named, becomes) in [
        (Value::Null, "vgpu-scheduler"),
        (json!(""), "vgpu-scheduler"),
        (json!("default-scheduler"), "vgpu-scheduler"),
        (json!("volcano"), "volcano"),
    ] {
        let (_, after) = mutated(&rules(), &pod(&json!({"schedulerName": named})));
        assert_eq!(after["spec"]["schedulerName"], becomes);
    }
}

#[test]
fn the_patch_holds_nothing_but_the_change() {
    let (patch, _) = mutated(&rules(), &pod(&json!({"schedulerName": "default-scheduler"})));
    let text = serde_json::to_value(&patch).unwrap();
    assert_eq!(text, json!([{"op": "add", "path": "/spec/schedulerName", "value": "vgpu-scheduler"}]));
    let (patch, _) = mutated(&rules(), &pod(&json!({"schedulerName": "vgpu-scheduler"})));
    assert_eq!(patch, Patch::default());
}

#[test]
fn memory_or_time_alone_are_of_one_device_in_every_kind_of_container() {
    let spec = json!({
        "initContainers": [
            container("first", &json!({"cores": "30"})),
            {"name": "proxy", "restartPolicy": "Always", "resources": {"limits": {"nvidia.com/vgpu-memory": "1k"}}},
        ],
        "containers": [
            container("percent", &json!({"memory-percentage": "50"})),
            container("two", &json!({"number": "2", "memory": "10"})),
            container("none", &json!({"number": "0", "memory": "10"})),
            container("nothing", &json!({"memory": "0"})),
            {"name": "idle", "resources": null},
        ],
    });
    let (_, after) = mutated(&rules(), &pod(&spec));
    let given = |list: &str, place: usize, side: &str| {
        after["spec"][list][place]["resources"][side]["nvidia.com/vgpu-number"].clone()
    };
    for side in ["limits", "requests"] {
        for (list, place) in [("initContainers", 0), ("initContainers", 1), ("containers", 0)] {
            assert_eq!(given(list, place, side), "1", "{list} {place} {side}");
        }
        assert_eq!([given("containers", 1, side), given("containers", 2, side)], ["2", "0"]);
        assert_eq!([given("containers", 3, side), given("containers", 4, side)], [Value::Null, Value::Null]);
    }
}

#[test]
fn a_pod_without_our_resources_is_not_touched() {
    let limits = json!({"limits": {"cpu": "1", "nvidia.com/gpu": "1", "nvidia.com/vgpu-number": "0"}});
    let containers = json!([{"name": "main", "resources": limits}]);
    for scheduler in [Value::Null, json!("default-scheduler")] {
        let spec = json!({"schedulerName": scheduler, "nodeName": "n1", "containers": containers});
        let mut rules = rules();
        rules.reader.node_policy = Policy::Binpack;
        assert_eq!(patch(&rules, &pod(&spec)), Patch::default());
    }
    assert_eq!(patch(&rules(), &json!({"spec": null})), Patch::default());
}

#[test]
fn a_pod_of_more_containers_than_can_have_slices_is_refused_and_not_filled_in() {
    let crowd = |count: usize| {
        let of = |place: usize| container(&format!("c{place}"), &json!({"memory": "10"}));
        pod(&json!({"initContainers": [of(0)], "containers": (1..count).map(of).collect::<Vec<_>>()}))
    };
    let (patch, _) = mutated(&rules(), &crowd(64));
    assert_eq!(patch.0.len(), 1 + 2 * 64);
    let refusal = mutate(&rules(), &crowd(65)).unwrap().unwrap_err().to_string();
    assert_eq!(
        refusal,
        "container c64: nvidia.com/vgpu-number is asked for by 65 containers of the pod; 64 may at the most"
    );
}

#[test]
fn policies_are_written_where_the_cluster_has_some_and_the_pod_has_none() {
    let mut rules = rules();
    (rules.reader.node_policy, rules.reader.device_policy) = (Policy::Binpack, Policy::Spread);
    let (_, after) = mutated(&rules, &pod(&json!({})));
    let written = json!({
        "nvidia.com/node-scheduler-policy": "binpack",
        "nvidia.com/device-scheduler-policy": "spread",
    });
    assert_eq!(after["metadata"]["annotations"], written);
    for own in ["nvidia.com/node-scheduler-policy", "hami.io/node-scheduler-policy"] {
        let mut chosen = pod(&json!({}));
        chosen["metadata"]["annotations"] = json!({own: "spread"});
        let (_, after) = mutated(&rules, &chosen);
        let expected = json!({own: "spread", "nvidia.com/device-scheduler-policy": "spread"});
        assert_eq!(after["metadata"]["annotations"], expected);
    }
}

#[test]
fn what_is_no_pod_is_an_error_or_nothing_and_never_a_panic() {
    for odd in [json!(7), json!([]), json!({"spec": 1}), json!({"spec": {"containers": [1]}})] {
        let _ = mutate(&rules(), &odd);
    }
    // A sequence stands for the fields in their order.
    let resources = [{
        let resources = json!({"limits": {"nvidia.com/vgpu-memory": "1"}});
        json!(["main", null, resources])
    }];
    let _ = mutate(&rules(), &json!({"spec": ["n1", null, null, null, resources], "metadata": {}}));
    let _ = mutate(&rules(), &json!({"spec": {"nodeName": "n", "containers": resources}}));
    let affinity = json!({"nodeAffinity": 3});
    let error = mutate(&rules(), &pod(&json!({"nodeName": "n1", "affinity": affinity}))).unwrap_err();
    assert!(error.to_string().starts_with("the object is no Pod: "), "{error}");
}
