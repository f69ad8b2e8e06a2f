//! The chart, rendered by helm and given to the API server.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kube_harness::kubectl;
use serde_json::{Value, json};

use crate::{image, machine};

/// The namespace that it is installed in.
pub(crate) const SYSTEM: &str = "vgpu-system";
/// The name under which it is installed.
pub(crate) const RELEASE: &str = "vgpu";
/// Who gives out slices in these tests: whom kubectl is, since it plays the scheduler.
const WRITER: &str = "admin";

/// What fits this cluster: NVML and its socket are mounted, as NVIDIA's runtime would do it with the driver's.
pub(crate) fn values() -> Value {
    let nvml = machine::nvml();
    json!({
        "image": {"repository": image::REPOSITORY, "tag": image::TAG, "pullPolicy": "Never"},
        "claims": {"writers": [WRITER]},
        "scheduler": {"enabled": false},
        "driver": {"runtimeClassName": ""},
        // This containerd has CDI only because its configuration says so.
        "cdi": {"runtimeSocket": "/run/containerd/containerd.sock"},
        "extraEnv": [{"name": "VGPU_SIM_SOCKET", "value": machine::SOCKET}],
        "extraVolumes": [
            {"name": "nvml", "hostPath": {"path": nvml, "type": "File"}},
            {"name": "card", "hostPath": {"path": machine::PLACE, "type": "Directory"}}
        ],
        "extraVolumeMounts": [
            {"name": "nvml", "mountPath": "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "readOnly": true},
            {"name": "card", "mountPath": machine::PLACE}
        ]
    })
}

/// Puts `others` over `values`: objects are merged, all else is replaced.
pub(crate) fn merge(values: &mut Value, others: &Value) {
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
pub(crate) fn install(values: &Value) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM}});
    let manifests = format!("{namespace}\n---\n{}", render(values));
    let apply = ["apply", "--server-side", "--force-conflicts", "--filename", "-"];
    kubectl(&apply, &manifests).unwrap_or_else(|error| panic!("{error}"));
}

/// Removes what is installed, if anything is.
pub(crate) fn remove() {
    let delete = ["delete", "--ignore-not-found", "--wait", "--filename", "-"];
    kubectl(&delete, &render(&values())).unwrap_or_else(|error| panic!("{error}"));
}

/// The chart's manifests.
pub(crate) fn render(values: &Value) -> String {
    helm(&["template"], values)
}

/// Runs helm on the chart, with these values.
pub(crate) fn helm(command: &[&str], values: &Value) -> String {
    let mut helm = Command::new("helm");
    helm.args(command).arg(RELEASE).arg(directory()).args(["--namespace", SYSTEM, "--values", "-"]);
    let mut helm = helm.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    helm.stdin.take().unwrap().write_all(values.to_string().as_bytes()).unwrap();
    let output = helm.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{values:#}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The folder of the chart.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/vgpu")
}
