//! Pods of several kinds.

use serde_json::{Value, json};

/// What a container asks for; nothing of what is 0.
pub(crate) fn limits(number: u32, memory: u32, cores: u32) -> Value {
    let mut limits = json!({"nvidia.com/vgpu-number": number.to_string()});
    for (name, amount) in [("nvidia.com/vgpu-memory", memory), ("nvidia.com/vgpu-cores", cores)] {
        if amount > 0 {
            limits[name] = json!(amount.to_string());
        }
    }
    limits
}

/// A pod with these containers.
pub(crate) fn pod(uid: &str, containers: &[(&str, Value)], annotations: &Value) -> Value {
    let container = |(name, limits): &(&str, Value)| json!({"name": name, "resources": {"limits": limits}});
    json!({
        "metadata": {"name": uid, "namespace": "team", "uid": uid, "annotations": annotations},
        "spec": {"containers": containers.iter().map(container).collect::<Vec<_>>()},
        "status": {"phase": "Pending"},
    })
}

/// What is asked about, from the usual to what is hardest to answer.
pub(crate) fn kinds() -> Vec<(&'static str, Value)> {
    let none = json!({});
    let one = |name, limits: Value, annotations: &Value| (name, pod("new", &[("main", limits)], annotations));
    let model = |part: &str| json!({"nvidia.com/include-gpu-type": part});
    let numa = json!({"nvidia.com/device-topology-mode": "numa-strict"});
    let different = [("a", 9000), ("b", 6000), ("c", 12_000), ("d", 3000)]
        .map(|(name, memory)| (name, limits(1, memory, 10)));
    let four = |memory| ["a", "b", "c", "d"].map(|name| (name, limits(1, memory, 0)));
    vec![
        one("a slice of a GPU", limits(1, 8192, 30), &none),
        one("a GPU alone", limits(1, 0, 0), &none),
        one("eight GPUs alone: fits nowhere", limits(8, 0, 0), &none),
        one("more memory than a GPU has: fits nowhere", limits(1, 150_000, 0), &none),
        one("a model", limits(1, 8192, 0), &model("h100")),
        one("a model that there is not", limits(1, 8192, 0), &model("A100")),
        one(
            "a GPU by a part of its UUID",
            limits(1, 8192, 0),
            &json!({"nvidia.com/include-gpu-uuid": "03e7-0202"}),
        ),
        one(
            "none of 64 GPUs by their UUIDs",
            limits(1, 8192, 0),
            &json!({"nvidia.com/exclude-gpu-uuid": uuids(64)}),
        ),
        one("four GPUs at one NUMA node", limits(4, 30_000, 0), &numa),
        ("four containers", pod("new", &four(30_000), &none)),
        ("four different containers", pod("new", &different, &none)),
        (
            "24 containers that hardly fit together",
            pod(
                "new",
                &{
                    let mut all = four(40_000).to_vec();
                    all.extend((0..20).map(|_| ("e", limits(1, 40_000, 0))));
                    all
                },
                &none,
            ),
        ),
    ]
}

/// UUIDs that hardly differ from those of the cluster.
fn uuids(count: u8) -> String {
    (0..count).map(|number| format!("GPU-00000000-0000-0000-09ff-{number:012x},")).collect()
}

/// A pod as a watch shows it: with what kubelet, the scheduler and controllers have written.
pub(crate) fn watched(has_vgpu: bool) -> String {
    let limits = if has_vgpu { limits(1, 8192, 30) } else { json!({"cpu": "2", "memory": "4Gi"}) };
    let mut pod = pod("0f3a1c52-6c1e-4d2e-9d6f-2f1f3b1c4d5e", &[("main", limits)], &json!({}));
    let fields = json!({"f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}},
        "f:ownerReferences": {".": {}, "k:{\"uid\":\"6c1e4d2e\"}": {}}},
        "f:spec": {"f:containers": {"k:{\"name\":\"main\"}": {".": {}, "f:image": {}, "f:name": {}, "f:resources": {".": {},
            "f:limits": {".": {}, "f:cpu": {}, "f:memory": {}}}, "f:env": {".": {}, "k:{\"name\":\"A\"}": {".": {}, "f:name": {}}}}},
            "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {}, "f:securityContext": {}}});
    let manager = |name: &str| {
        json!({"manager": name, "operation": "Update", "apiVersion": "v1",
        "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": fields})
    };
    pod["metadata"]["managedFields"] =
        json!([manager("kube-controller-manager"), manager("kubelet"), manager("vgpu")]);
    pod["metadata"]["labels"] = json!({"app": "train", "pod-template-hash": "5d4f8c7b9"});
    pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "train-5d4f8c7b9",
        "uid": "6c1e4d2e-0f3a-4d2e-9d6f-2f1f3b1c4d5e", "controller": true, "blockOwnerDeletion": true}]);
    let environment =
        (0..20).map(|number| json!({"name": format!("VARIABLE_{number}"), "value": "some value of it"}));
    pod["spec"]["containers"][0]["env"] = environment.collect();
    let condition = |kind| json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:00Z"});
    pod["status"]["conditions"] =
        ["PodScheduled", "Initialized", "ContainersReady", "Ready"].into_iter().map(condition).collect();
    pod["spec"]["nodeName"] = json!("gpu-worker-00000.example.org");
    pod["metadata"]["annotations"] = json!({"nvidia.com/vgpu-claim": json!({"version": 1,
        "podUid": pod["metadata"]["uid"], "node": "gpu-worker-00000.example.org",
        "containers": {"main": [{"uuid": "GPU-00000000-0000-0000-0101-010101010101", "memoryMiB": 8192, "cores": 30}]}}).to_string()});
    pod["status"]["phase"] = json!("Running");
    pod.to_string()
}
