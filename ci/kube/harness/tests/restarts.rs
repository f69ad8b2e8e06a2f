//! Services are stopped and come back, as tests of the node agent will have it.

use kube_harness::{Cluster, Pod, busybox, wait_until};
use serde_json::json;
use std::process::Command;

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
    manifest["spec"]["nodeName"] = json!("node-1");
    manifest["spec"]["containers"][0]["volumeMounts"] = json!([{ "name": "data", "mountPath": "/data" }]);
    manifest["spec"]["volumes"] = json!([{ "name": "data", "hostPath": { "path": folder } }]);
    let pod = space.run(&manifest);
    pod.wait_for("Running");
    let api = cluster.api_server();
    api.kill().unwrap();
    std::fs::write(format!("{folder}/end"), "").unwrap();
    let starts = || std::fs::read_to_string(format!("{folder}/starts")).unwrap_or_default().lines().count();
    wait_until("it is started again", || (starts() > 1).then_some(()), || format!("{} starts", starts()));
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

#[test]
fn a_service_that_crashes_is_started_again() {
    let Some(cluster) = Cluster::alone() else { return };
    let scheduler = cluster.scheduler();
    let first = scheduler.pid().expect("it runs");
    let killed = Command::new("kill").args(["-KILL", &first.as_raw_pid().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let another = || scheduler.pid().filter(|pid| *pid != first);
    wait_until("it runs again", another, || scheduler.log_tail());
    assert_eq!(scheduler.ends().last().map(String::as_str), Some("signal 9"));
    let space = cluster.namespace();
    space.run(&busybox("placed", "true")).wait_for("Succeeded");
}

#[test]
fn a_deployment_of_ten_pods_replaces_those_that_are_deleted() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let pod = busybox("", "sleep 1000")["spec"].clone();
    let mut template = json!({ "metadata": { "labels": { "app": "ten" } }, "spec": pod });
    template["spec"]["restartPolicy"] = json!("Always");
    space.apply(&json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "ten" },
        "spec": { "replicas": 10, "selector": { "matchLabels": { "app": "ten" } }, "template": template },
    }));
    let running = || {
        let pods = space.list("pods");
        let running = pods.iter().filter(|pod| pod["status"]["phase"] == "Running");
        running.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null()).count()
    };
    let all_run =
        || wait_until("ten run", || (running() == 10).then_some(()), || format!("{} run", running()));
    all_run();
    for pod in space.pods().iter().take(3) {
        pod.delete();
    }
    all_run();
}
