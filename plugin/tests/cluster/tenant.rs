//! Pods that want slices, and the stand-in for the scheduler that gives them.

use kube_harness::{Namespace, Pod, busybox, kubectl};
use serde_json::{Map, Value, json};

use crate::agent::NODE;
use crate::machine::GPU;

/// The annotation with a pod's claim.
pub(crate) const CLAIM: &str = "nvidia.com/vgpu-claim";

/// A pod whose container `main` wants one device and runs `script`. Nobody but the stand-in binds it.
pub(crate) fn manifest(name: &str, script: &str) -> Value {
    let mut pod = busybox(name, script);
    pod["spec"]["schedulerName"] = json!("stand-in");
    pod["spec"]["containers"][0]["resources"] = one_device();
    pod
}

/// What a container that wants one device says.
pub(crate) fn one_device() -> Value {
    devices(1)
}

/// What a container that wants so many devices says.
pub(crate) fn devices(count: u32) -> Value {
    json!({"limits": {"nvidia.com/vgpu-number": count.to_string()}})
}

/// The same container under another name and with another script.
pub(crate) fn another(container: &Value, name: &str, script: &str) -> Value {
    let mut other = container.clone();
    other["name"] = json!(name);
    other["command"][2] = json!(script);
    other
}

/// The uid that the API server has given to a pod.
pub(crate) fn uid(pod: &Pod) -> String {
    pod.get().expect("the pod is there")["metadata"]["uid"].as_str().expect("it has a uid").to_owned()
}

/// The claim of the pod `uid` for so many MiB of the one card for each container.
pub(crate) fn claim(uid: &str, containers: &[(&str, u32)]) -> String {
    let devices = containers.iter().map(|(name, memory)| (*name, vec![(GPU, *memory)]));
    claim_of_cards(uid, &devices.collect::<Vec<_>>())
}

/// The claim of the pod `uid` for so many MiB of these cards for each container.
pub(crate) fn claim_of_cards(uid: &str, containers: &[(&str, Vec<(&str, u32)>)]) -> String {
    let device = |(card, memory): &(&str, u32)| json!({"uuid": card, "memoryMiB": memory});
    let containers: Map<String, Value> = containers
        .iter()
        .map(|(name, devices)| ((*name).to_owned(), devices.iter().map(device).collect()))
        .collect();
    json!({"version": 1, "podUid": uid, "node": NODE, "containers": containers}).to_string()
}

/// Binds a pod to the node, with this claim in the same request.
pub(crate) fn bind(space: &Namespace, pod: &Pod, claim: Option<&str>) {
    try_bind(space, pod, claim).unwrap_or_else(|error| panic!("{error}"));
}

/// As [`bind`], for a pod that may be gone.
pub(crate) fn try_bind(space: &Namespace, pod: &Pod, claim: Option<&str>) -> Result<(), String> {
    let annotations = claim.map_or_else(|| json!({}), |claim| json!({ CLAIM: claim }));
    let binding = json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name(), "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": NODE}
    });
    let path = format!("/api/v1/namespaces/{}/pods/{}/binding", space.name(), pod.name());
    kubectl(&["create", "--raw", &path, "--filename", "-"], &binding.to_string()).map(drop)
}

/// Makes the pod of `manifest` and binds it with a right claim for so many MiB for each container.
pub(crate) fn run(space: &Namespace, manifest: &Value, containers: &[(&str, u32)]) -> Pod {
    let pod = space.run(manifest);
    bind(space, &pod, Some(&claim(&uid(&pod), containers)));
    pod
}

/// The MiB that a program was told that there are, from what `fill` wrote.
pub(crate) fn total_of(output: &str) -> Option<u32> {
    let line = output.lines().find(|line| line.contains("cuMemGetInfo"))?;
    line.rsplit("free of ").next()?.trim_end_matches(" MiB").trim().parse().ok()
}
