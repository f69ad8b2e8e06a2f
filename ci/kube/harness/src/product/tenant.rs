//! Pods that want slices, and what programs in them are told.

use crate::manifest::busybox;
use crate::pod::Pod;
use serde_json::{Value, json};

/// The annotation with a pod's claim.
pub const CLAIM: &str = "nvidia.com/vgpu-claim";
/// The resource of which a container has as many as it wants devices.
pub const NUMBER: &str = "nvidia.com/vgpu-number";

/// A pod for this scheduler whose container `main` wants one device and runs `script`.
pub fn manifest(name: &str, script: &str, scheduler: &str) -> Value {
    let mut pod = busybox(name, script);
    pod["spec"]["schedulerName"] = json!(scheduler);
    pod["spec"]["containers"][0]["resources"] = one_device();
    pod
}

/// What a container that wants one device says.
pub fn one_device() -> Value {
    devices(1)
}

/// What a container that wants so many devices says.
pub fn devices(count: u32) -> Value {
    json!({"limits": {NUMBER: count.to_string()}})
}

/// What a container says that wants so many MiB of a device.
pub fn memory(mib: u32) -> Value {
    json!({"limits": {NUMBER: "1", "nvidia.com/vgpu-memory": mib.to_string()}})
}

/// The same container under another name and with another script.
pub fn another(container: &Value, name: &str, script: &str) -> Value {
    let mut other = container.clone();
    other["name"] = json!(name);
    other["command"][2] = json!(script);
    other
}

/// The uid that the API server has given to a pod.
///
/// # Panics
/// The pod is not there.
pub fn uid(pod: &Pod) -> String {
    pod.get().expect("the pod is there")["metadata"]["uid"].as_str().expect("it has a uid").to_owned()
}

/// The claim of a pod, as it is written.
pub fn claim(pod: &Value) -> Option<Value> {
    serde_json::from_str(pod["metadata"]["annotations"][CLAIM].as_str()?).ok()
}

/// The MiB that a program was told that there are, from what `fill` wrote.
pub fn total_of(output: &str) -> Option<u32> {
    let line = output.lines().find(|line| line.contains("cuMemGetInfo"))?;
    line.rsplit("free of ").next()?.trim_end_matches(" MiB").trim().parse().ok()
}
