use placement::{ContainerRequest, Cores, Memory, Topology};
use serde_json::{Value, json};

use super::*;

fn reader() -> Reader {
    Reader::new(Domain::default(), NameStyle::Vgpu)
}

fn pod(resources: &Value, annotations: &Value) -> Pod {
    let pod = json!({
        "metadata": {"name": "p", "annotations": annotations},
        "spec": {"containers": [{"name": "main", "resources": resources}], "initContainers": null},
    });
    serde_json::from_value(pod).unwrap()
}

fn asks(limits: &Value) -> Result<Option<Ask>, AskError> {
    let limits: Value = limits
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, amount)| (format!("nvidia.com/vgpu-{name}"), amount.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    reader().read(&pod(&json!({"limits": limits}), &Value::Null))
}

fn one(limits: &Value) -> ContainerRequest {
    asks(limits).unwrap().unwrap().request.containers.remove(0)
}

#[test]
fn what_is_left_out_is_filled_in() {
    let parts = |limits: Value| {
        let ContainerRequest { count, memory, cores, .. } = one(&limits);
        (count, memory, cores)
    };
    assert_eq!(parts(json!({"number": "1"})), (1, Memory::Whole, Cores::Alone));
    assert_eq!(parts(json!({"number": "1", "cores": "0"})), (1, Memory::Whole, Cores::Alone));
    assert_eq!(parts(json!({"number": "2", "memory": "8k"})), (2, Memory::Units(8000), Cores::Unlimited));
    assert_eq!(parts(json!({"number": "1", "cores": "30"})), (1, Memory::Whole, Cores::Percent(30)));
    assert_eq!(
        parts(json!({"number": "1", "memory-percentage": "50"})),
        (1, Memory::Percent(50), Cores::Unlimited)
    );
    assert_eq!(
        parts(json!({"number": "1", "memory": "10", "cores": "100"})),
        (1, Memory::Units(10), Cores::Percent(100))
    );
}

#[test]
fn a_pod_that_asks_for_nothing_is_not_ours() {
    assert_eq!(asks(&json!({})), Ok(None));
    assert_eq!(asks(&json!({"number": "0"})), Ok(None));
    let faulty = json!({"nvidia.com/node-scheduler-policy": "binpak"});
    assert_eq!(reader().read(&pod(&json!({"limits": {"cpu": "1"}}), &faulty)), Ok(None));
}

#[test]
fn what_nobody_can_have_is_named_with_its_value() {
    for (limits, said) in [
        (json!({"number": "65"}), "nvidia.com/vgpu-number is 65, which is more than 64"),
        (json!({"number": "1", "cores": "101"}), "nvidia.com/vgpu-cores is 101, which is more than 100"),
        (
            json!({"number": "1", "memory": "8Gi"}),
            "nvidia.com/vgpu-memory is 8Gi, and it counts MiB (or memoryFactor times MiB): write 8192",
        ),
        (
            json!({"number": "1", "memory": "24G"}),
            "is 24G, and it counts MiB (or memoryFactor times MiB): write 22889",
        ),
        (json!({"number": "1", "memory-percentage": "200"}), "is 200, which is more than 100"),
        (json!({"memory": "8"}), "nvidia.com/vgpu-memory is given without nvidia.com/vgpu-number"),
        (json!({"number": "1", "memory": "8", "memory-percentage": "5"}), "are both given"),
        (json!({"number": "1.5"}), "nvidia.com/vgpu-number is 1.5, which is no whole number"),
    ] {
        let error = asks(&limits).unwrap_err().to_string();
        assert!(error.starts_with("container main: ") && error.contains(said), "{error}");
    }
}

#[test]
fn annotations_choose_and_what_they_cannot_say_is_refused() {
    let resources = json!({"limits": {"nvidia.com/vgpu-number": "2"}});
    let annotations = json!({
        "nvidia.com/node-scheduler-policy": "binpack",
        "nvidia.com/device-topology-mode": "link-strict",
        "nvidia.com/include-gpu-type": "H100, ,A100",
    });
    let ask = reader().read(&pod(&resources, &annotations)).unwrap().unwrap();
    assert_eq!(ask.node_policy, Policy::Binpack);
    assert_eq!(ask.request.topology, Topology::Link { is_strict: true });
    assert_eq!(ask.request.selection.models, ["H100", "A100"]);
    let wrong = json!({"nvidia.com/device-scheduler-policy": "packed", "nvidia.com/memory-scheduler-policy": "v",
            "nvidia.com/vgpu-priority": "high", "nvidia.com/vgpu-compute-policy": "balanced"});
    let error = reader().read(&pod(&resources, &wrong)).unwrap_err().to_string();
    assert_eq!(
        error,
        "annotation nvidia.com/device-scheduler-policy is packed; known: binpack, spread, none; \
         annotation nvidia.com/memory-scheduler-policy is v; known: physical, virtual, none; \
         annotation nvidia.com/vgpu-priority is high: write a whole number, 0 for high or 1 for low; \
         annotation nvidia.com/vgpu-compute-policy is balanced; known: fixed, balance, none"
    );
}

#[test]
fn containers_come_in_the_order_in_which_they_start() {
    let resources = json!({"requests": {"nvidia.com/vgpu-number": "1"}});
    let pod = json!({"spec": {
        "containers": [{"name": "app", "resources": resources}, {"name": "idle"}],
        "initContainers": [
            {"name": "first", "resources": resources},
            {"name": "proxy", "restartPolicy": "Always", "resources": resources}
        ],
    }});
    let ask = reader().read(&serde_json::from_value(pod).unwrap()).unwrap().unwrap();
    let all: Vec<_> = ask.request.containers.iter().map(|one| (one.name.as_str(), one.role)).collect();
    assert_eq!(all, [("first", Role::Init), ("proxy", Role::Sidecar), ("app", Role::App)]);
}

#[test]
fn limits_and_requests_that_differ_are_both_named() {
    let resources = json!({"limits": {"nvidia.com/vgpu-number": "2", "nvidia.com/vgpu-memory": "8Ki"},
        "requests": {"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-memory": "8192"}});
    let error = reader().read(&pod(&resources, &Value::Null)).unwrap_err().to_string();
    let said =
        "container main: nvidia.com/vgpu-number is 2 in limits and 1 in requests; leave out the request";
    assert_eq!(error, said);
}

#[test]
fn hamis_annotations_count_where_its_names_are_chosen() {
    let resources = json!({"limits": {"nvidia.com/gpu": "2", "nvidia.com/vgpu-number": "2"}});
    let annotations = json!({
        "nvidia.com/use-gputype": "A100,H100", "nvidia.com/nouse-gputype": "MIG",
        "nvidia.com/use-gpuuuid": "GPU-1", "nvidia.com/nouse-gpuuuid": "GPU-2",
        "hami.io/node-scheduler-policy": "spread", "hami.io/gpu-scheduler-policy": "binpack,topology-aware",
    });
    let read = |style| {
        let reader = Reader::new(Domain::default(), style);
        reader.read(&pod(&resources, &annotations)).unwrap().unwrap()
    };
    let hami = read(NameStyle::Hami);
    assert_eq!((hami.node_policy, hami.request.policy), (Policy::Spread, Policy::Binpack));
    assert_eq!(hami.request.topology, Topology::Link { is_strict: false });
    let selection = &hami.request.selection;
    assert_eq!((selection.models.len(), &*selection.not_models[0]), (2, "MIG"));
    assert_eq!((&*selection.uuids[0], &*selection.not_uuids[0]), ("GPU-1", "GPU-2"));
    let ours = read(NameStyle::Vgpu);
    assert_eq!((ours.node_policy, ours.request.selection), (Policy::None, placement::Selection::default()));
}

#[test]
fn words_of_hami_that_are_not_known_are_told_and_ours_have_the_last_word() {
    let resources = json!({"limits": {"nvidia.com/gpu": "1"}});
    let reader = Reader::new(Domain::default(), NameStyle::Hami);
    let error = reader.read(&pod(&resources, &json!({"hami.io/gpu-scheduler-policy": "mutex"})));
    let error = error.unwrap_err().to_string();
    let known = "known: binpack, spread, topology-aware, numa";
    assert_eq!(error, format!("annotation hami.io/gpu-scheduler-policy is mutex; {known}"));
    let both =
        json!({"hami.io/node-scheduler-policy": "spread", "nvidia.com/node-scheduler-policy": "binpack"});
    assert_eq!(reader.read(&pod(&resources, &both)).unwrap().unwrap().node_policy, Policy::Binpack);
}

#[test]
fn nobody_asks_for_more_than_can_be_looked_at() {
    let resources = json!({"limits": {"nvidia.com/vgpu-number": "1"}});
    let faults = |annotations: Value| {
        let pod = pod(&resources, &annotations);
        reader().read(&pod).map_err(|error| error.to_string())
    };
    let list = |parts: usize| json!({"nvidia.com/exclude-gpu-uuid": vec!["z"; parts].join(",")});
    assert!(faults(list(64)).is_ok());
    let error = faults(list(130_000)).unwrap_err();
    assert_eq!(
        error,
        "annotation nvidia.com/exclude-gpu-uuid has 130000 parts; up to 64 are read, of 128 bytes each at the most"
    );
    assert!(faults(json!({"nvidia.com/include-gpu-type": "x".repeat(129)})).is_err());
    let container = |place: usize| json!({"name": format!("c{place}"), "resources": resources});
    let crowd = |count: usize| {
        let containers: Vec<Value> = (0..count).map(container).collect();
        reader().read(&serde_json::from_value(json!({"spec": {"initContainers": containers}})).unwrap())
    };
    assert!(crowd(64).is_ok());
    let error = crowd(65).unwrap_err().to_string();
    assert_eq!(
        error,
        "container c64: nvidia.com/vgpu-number is asked for by 65 containers of the pod; 64 may at the most"
    );
}

#[test]
fn of_many_faults_a_few_are_told() {
    let container = |place: usize| json!({"name": format!("c{place}"), "resources": {"limits": {"nvidia.com/vgpu-number": "x"}}});
    let containers: Vec<Value> = (0..5000).map(container).collect();
    let pod = serde_json::from_value(json!({"spec": {"containers": containers}})).unwrap();
    let error = reader().read(&pod).unwrap_err().to_string();
    assert!(error.len() < 1000 && error.ends_with("; and 4995 more"), "{error}");
}
