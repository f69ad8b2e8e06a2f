//! Services are stopped and come back, as tests of the node agent will have it.

use kube_harness::{Cluster, Pod, busybox};
use serde_json::json;

/// How often the pod's container was started again, and when it was started.
fn container(pod: &Pod) -> (u64, String) {
    let status = pod.get().unwrap_or_default()["status"]["containerStatuses"][0].clone();
    let started = status["state"]["running"]["startedAt"].as_str().unwrap_or_default();
    (status["restartCount"].as_u64().unwrap_or_default(), started.to_owned())
}

#[test]
fn a_container_outlives_kubelet_and_its_runtime() {
    let Some(cluster) = Cluster::alone() else { return };
    let space = cluster.namespace();
    let pod = space.run(&busybox("steady", "sleep 1000"));
    pod.wait_for("Running");
    let before = container(&pod);
    let node = cluster.node("node-1");
    node.kubelet.restart().unwrap();
    node.containerd.kill().unwrap();
    node.containerd.start().unwrap();
    node.wait_until_ready();
    let another = space.run(&busybox("another", "echo there"));
    another.wait_for("Succeeded");
    assert_eq!(container(&pod), before);
    assert!(pod.exec(&["true"]).is_ok());
}

#[test]
fn a_container_that_ends_is_started_again_while_the_api_server_is_away() {
    let Some(cluster) = Cluster::alone() else { return };
    let space = cluster.namespace();
    let folder = format!("/run/{}", space.name());
    std::fs::create_dir(&folder).unwrap();
    let mut manifest =
        busybox("again", "echo >>/data/starts; until [ -e /data/end ]; do sleep 0.1; done; rm /data/end");
    manifest["spec"]["restartPolicy"] = json!("Always");
    manifest["spec"]["containers"][0]["volumeMounts"] = json!([{ "name": "data", "mountPath": "/data" }]);
    manifest["spec"]["volumes"] = json!([{ "name": "data", "hostPath": { "path": folder } }]);
    let pod = space.run(&manifest);
    pod.wait_for("Running");
    let api = cluster.api_server();
    api.kill().unwrap();
    std::fs::write(format!("{folder}/end"), "").unwrap();
    let starts = || std::fs::read_to_string(format!("{folder}/starts")).unwrap_or_default().lines().count();
    kube_harness::wait_until(
        "it is started again",
        || (starts() > 1).then_some(()),
        || format!("{} starts", starts()),
    );
    api.start().unwrap();
    cluster.wait_for_api();
    pod.wait_until("the API server is told", |pod| {
        pod["status"]["containerStatuses"][0]["restartCount"] == 1
    });
}

#[test]
fn an_api_server_that_hangs_is_waited_for() {
    let Some(cluster) = Cluster::alone() else { return };
    let api = cluster.api_server();
    api.pause().unwrap();
    let asked = kube_harness::kubectl(&["get", "--raw", "/readyz", "--request-timeout=1s"], "");
    api.resume().unwrap();
    assert!(asked.is_err(), "{asked:?}");
    cluster.wait_for_api();
}
