//! Pods that want slices, and the stand-in for the scheduler that gives them.

use kube_harness::product::machine::GPU;
use kube_harness::product::tenant;
pub(crate) use kube_harness::product::tenant::{CLAIM, another, devices, one_device, total_of, uid};
use kube_harness::{Namespace, Pod, kubectl};
use serde_json::{Map, Value, json};

use crate::agent::NODE;

/// A pod whose container `main` wants one device and runs `script`. Nobody but the stand-in binds it.
pub(crate) fn manifest(name: &str, script: &str) -> Value {
    tenant::manifest(name, script, "stand-in")
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
