//! Manifests to begin with.

use serde_json::{Value, json};

/// A pod with one container, `main`, in which busybox' shell runs `script`, once. Tests add to it what they are about:
///
/// ```no_run
/// let mut pod = kube_harness::busybox("sleeper", "sleep 1000");
/// pod["spec"]["containers"][0]["resources"] = serde_json::json!({ "limits": { "memory": "64Mi" } });
/// ```
pub fn busybox(name: &str, script: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name },
        "spec": {
            "restartPolicy": "Never",
            // Nobody in it listens to SIGTERM. With 0 the API server would forget it before kubelet has ended it.
            "terminationGracePeriodSeconds": 1,
            "containers": [{
                "name": "main",
                "image": "vgpu.test/busybox:1",
                "imagePullPolicy": "Never",
                "command": ["sh", "-c", script],
            }],
        },
    })
}
