//! Pods that ask for slices.

use kube_harness::product::tenant;
pub(crate) use kube_harness::product::tenant::claim;
use kube_harness::{Namespace, Pod, busybox, kubectl, wait_until};
use serde_json::{Value, json};

use crate::site::{SCHEDULER, describe};

/// The annotation that says which nodes a pod had rather.
const NODE_POLICY: &str = "nvidia.com/node-scheduler-policy";

/// A pod whose container `main` wants so many MiB of a card and runs `script`.
pub(crate) fn manifest(name: &str, script: &str, mib: u32) -> Value {
    let mut pod = tenant::manifest(name, script, SCHEDULER);
    pod["spec"]["containers"][0]["resources"] = tenant::memory(mib);
    pod
}

/// A pod whose container asks for these, without naming a scheduler.
pub(crate) fn asking(name: &str, limits: &Value) -> Value {
    let mut pod = busybox(name, "true");
    pod["spec"]["containers"][0]["resources"] = json!({"limits": limits});
    pod
}

/// What whoever makes this is warned of.
pub(crate) fn warned(space: &Namespace, manifest: &Value) -> String {
    let make = ["create", "--dry-run=server", "--warnings-as-errors", "--filename", "-"];
    let made = kubectl(&[&["--namespace", space.name()], &make[..]].concat(), &manifest.to_string());
    made.err().unwrap_or_default()
}

/// Waits until whoever makes this is warned of a name that is almost ours, for which the webhook has to be there.
pub(crate) fn until_warned(space: &Namespace, manifest: &Value, name: &str) {
    let warning = format!("Warning: container main: {name} is no resource of slices");
    let is_told = || (warned(space, manifest).matches(&warning).count() == 1).then_some(());
    wait_until("it is told", is_told, || warned(space, manifest));
}

/// A pod that lasts, with a policy of its own; returned when it is bound, with its node.
pub(crate) fn placed(space: &Namespace, name: &str, mib: u32, policy: &str) -> (Pod, String) {
    let mut wanted = manifest(name, "sleep 1000", mib);
    wanted["metadata"]["annotations"] = json!({ NODE_POLICY: policy });
    let pod = space.run(&wanted);
    let node = node(&pod);
    (pod, node)
}

/// A Deployment of so many pods like this one.
pub(crate) fn deployment(name: &str, pods: u64, mut pod: Value) -> Value {
    pod["spec"]["restartPolicy"] = json!("Always");
    let labels = json!({"deployment": name});
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": pods,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]}
        }
    })
}

/// The node of a pod, when it is bound.
pub(crate) fn node(pod: &Pod) -> String {
    let what = format!("{} is bound", pod.name());
    let bound = wait_until(
        &what,
        || pod.get().filter(|pod| pod["spec"]["nodeName"].is_string()),
        || format!("{}\n{}", pod.describe(), describe()),
    );
    bound["spec"]["nodeName"].as_str().unwrap_or_default().to_owned()
}
