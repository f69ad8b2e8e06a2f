//! Two nodes, each with a kubelet and a container runtime of its own.

use kube_harness::{Cluster, busybox};
use serde_json::json;

#[test]
fn pods_on_two_nodes_reach_each_other() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let mut server = busybox("server", "echo served >/tmp/file && exec httpd -f -p 80 -h /tmp");
    server["spec"]["nodeName"] = json!("node-1");
    let mut client = busybox("client", "sleep 1000");
    client["spec"]["nodeName"] = json!("node-2");
    let (server, client) = (space.run(&server), space.run(&client));
    server.wait_for("Running");
    client.wait_for("Running");
    let server = server.get().unwrap_or_default();
    let address = server["status"]["podIP"].as_str().expect("a pod that runs has an address");
    let fetched = client.exec(&["wget", "-q", "-O", "-", &format!("http://{address}/file")]);
    assert_eq!(fetched.as_deref(), Ok("served\n"));
}
