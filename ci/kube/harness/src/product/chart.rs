//! The chart, rendered by helm and given to the API server.

use super::agent::START;
use super::{image, machine, workspace};
use crate::kubectl::kubectl;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The namespace that it is installed in.
pub const SYSTEM: &str = "vgpu-system";
/// The name under which it is installed.
pub const RELEASE: &str = "vgpu";

/// What fits this cluster: images that were made here; NVML and its socket are mounted, as NVIDIA's runtime would do it with the
/// driver's.
pub fn values() -> Value {
    let made = |name: &str| json!({"repository": name, "tag": image::TAG, "pullPolicy": "Never"});
    json!({
        "image": made(image::AGENT),
        "scheduler": {"image": made(image::EXTENDER), "kubeScheduler": {"image": made(image::KUBE_SCHEDULER)}},
        "driver": {"runtimeClassName": ""},
        // This containerd has CDI only because its configuration says so.
        "cdi": {"runtimeSocket": "/run/containerd/containerd.sock"},
        "extraEnv": [{"name": "VGPU_SIM_SOCKET", "value": machine::SOCKET}],
        "extraVolumes": [
            {"name": "nvml", "hostPath": {"path": machine::nvml(), "type": "File"}},
            {"name": "card", "hostPath": {"path": machine::PLACE, "type": "Directory"}}
        ],
        "extraVolumeMounts": [
            {"name": "nvml", "mountPath": "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "readOnly": true},
            {"name": "card", "mountPath": machine::PLACE}
        ]
    })
}

/// As [`values`], for pods of this start: they are made anew.
pub fn values_of(start: &str) -> Value {
    let mut values = values();
    let annotations = json!({"podAnnotations": {START: start}});
    merge(&mut values, &annotations);
    merge(&mut values["scheduler"], &annotations);
    values
}

/// Puts `others` over `values`: objects are merged, all else is replaced.
pub fn merge(values: &mut Value, others: &Value) {
    match (values, others) {
        (Value::Object(values), Value::Object(others)) => {
            for (key, other) in others {
                merge(values.entry(key.clone()).or_insert(Value::Null), other);
            }
        }
        (value, other) => *value = other.clone(),
    }
}

/// Installs the chart with these values, or changes what is installed. No record of releases can be in the way, as after a test that
/// was stopped half-way.
///
/// # Panics
/// The API server refuses.
pub fn install(values: &Value) {
    apply(&render(values));
}

/// As [`install`], with manifests that helm has written.
///
/// # Panics
/// The API server refuses.
pub fn apply(manifests: &str) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM}});
    let manifests = format!("{namespace}\n---\n{manifests}");
    let apply = ["apply", "--server-side", "--force-conflicts", "--filename", "-"];
    kubectl(&apply, &manifests).unwrap_or_else(|error| panic!("{error}"));
}

/// Removes what is installed with these values, if anything is.
///
/// # Panics
/// The API server refuses.
pub fn remove(values: &Value) {
    let delete = ["delete", "--ignore-not-found", "--wait", "--filename", "-"];
    kubectl(&delete, &render(values)).unwrap_or_else(|error| panic!("{error}"));
}

/// The chart's manifests.
///
/// # Panics
/// Helm refuses.
pub fn render(values: &Value) -> String {
    helm(&["template"], values)
}

/// Runs helm on the chart, with these values, over which those go that flags of the command name, and returns what it wrote.
///
/// # Panics
/// Helm refuses, or there is no command.
pub fn helm(command: &[&str], values: &Value) -> String {
    let (verb, flags) = command.split_first().expect("helm is told what to do");
    let mut helm = Command::new("helm");
    helm.args([verb, RELEASE]).arg(directory()).args(["--namespace", SYSTEM, "--values", "-"]).args(flags);
    let mut helm = helm
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("helm does not start");
    let mut stdin = helm.stdin.take().expect("it is piped");
    stdin.write_all(values.to_string().as_bytes()).expect("helm does not read");
    drop(stdin);
    let output = helm.wait_with_output().expect("helm does not end");
    assert!(output.status.success(), "{}\n{values:#}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The folder of the chart.
pub fn directory() -> PathBuf {
    workspace().join("deploy/vgpu")
}
