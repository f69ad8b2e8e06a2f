//! The cluster is one: what every test of the node agent takes for granted.

use kube_harness::{Cluster, busybox, image};
use serde_json::json;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

#[test]
fn a_pod_runs_and_what_it_says_is_read() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let pod = space.run(&busybox("hello", "echo hello"));
    pod.wait_for("Succeeded");
    assert_eq!(pod.logs(), "hello\n");
}

#[test]
fn two_pods_run_at_once_and_reach_each_other() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let server = space.run(&busybox("server", "echo served >/tmp/file && exec httpd -f -p 80 -h /tmp"));
    let client = space.run(&busybox("client", "sleep 1000"));
    server.wait_for("Running");
    client.wait_for("Running");
    let server = server.get().unwrap_or_default();
    let address = server["status"]["podIP"].as_str().expect("a pod that runs has an address");
    let fetched = client.exec(&["wget", "-q", "-O", "-", &format!("http://{address}/file")]);
    assert_eq!(fetched.as_deref(), Ok("served\n"));
}

#[test]
fn a_program_is_started_in_one_of_two_containers() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let mut manifest = busybox("pair", "echo one >/tmp/name && sleep 1000");
    let mut other = manifest["spec"]["containers"][0].clone();
    other["name"] = json!("other");
    other["command"][2] = json!("echo two >/tmp/name && sleep 1000");
    manifest["spec"]["containers"].as_array_mut().expect("a list").push(other);
    let pod = space.run(&manifest);
    pod.wait_for("Running");
    let name =
        |container: &str| pod.exec_in(container, &["sh", "-c", "until cat /tmp/name; do sleep 0.1; done"]);
    assert!(name("main").is_ok_and(|said| said.ends_with("one\n")));
    assert!(name("other").is_ok_and(|said| said.ends_with("two\n")));
    assert!(pod.exec(&["false"]).is_err());
}

#[test]
fn a_folder_of_the_node_is_seen_in_a_pod() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let folder = format!("/run/{}", space.name());
    fs::create_dir(&folder).unwrap();
    fs::write(format!("{folder}/from-outside"), "outside\n").unwrap();
    let mut manifest = busybox("mounts", "cat /data/from-outside && echo inside >/data/from-inside");
    manifest["spec"]["nodeName"] = json!("node-1");
    manifest["spec"]["containers"][0]["volumeMounts"] = json!([{ "name": "data", "mountPath": "/data" }]);
    manifest["spec"]["volumes"] =
        json!([{ "name": "data", "hostPath": { "path": folder, "type": "Directory" } }]);
    let pod = space.run(&manifest);
    pod.wait_for("Succeeded");
    assert_eq!(pod.logs(), "outside\n");
    assert_eq!(fs::read_to_string(format!("{folder}/from-inside")).unwrap(), "inside\n");
}

#[test]
fn a_container_that_takes_more_memory_than_it_may_is_killed() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let mut manifest = busybox("greedy", "tail /dev/zero");
    manifest["spec"]["containers"][0]["resources"] = json!({ "limits": { "memory": "32Mi" } });
    let pod = space.run(&manifest);
    pod.wait_for("Failed");
    let pod = pod.get().unwrap_or_default();
    assert_eq!(
        pod["status"]["containerStatuses"][0]["state"]["terminated"]["reason"], "OOMKilled",
        "{pod:#}"
    );
}

#[test]
fn what_cannot_be_accepted_or_placed_says_why() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let refused = space.try_apply(&busybox("Not_A_Name", "true")).unwrap_err();
    assert!(refused.contains("Not_A_Name"), "{refused}");
    let mut manifest = busybox("wants", "true");
    manifest["spec"]["containers"][0]["resources"] = json!({ "limits": { "example.com/nothing": 1 } });
    let pod = space.run(&manifest);
    let is_said = |pod: &serde_json::Value| pod.to_string().contains("Insufficient example.com/nothing");
    pod.wait_until("it is said that no node has it", is_said);
    assert!(
        pod.events().iter().any(|event| event.contains("Insufficient example.com/nothing")),
        "{:?}",
        pod.events()
    );
}

#[test]
fn kubelets_sockets_are_where_a_device_plugin_looks_for_them() {
    let Some(_cluster) = Cluster::join() else { return };
    for socket in ["device-plugins/kubelet.sock", "pod-resources/kubelet.sock"] {
        let file = fs::metadata(format!("/var/lib/kubelet/{socket}")).unwrap();
        assert!(file.file_type().is_socket(), "{socket}");
    }
}

#[test]
fn a_pod_reaches_the_api_by_its_service_account() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    let mut manifest =
        busybox("client", "/programs/kubectl auth whoami -o jsonpath={.status.userInfo.username}");
    manifest["spec"]["containers"][0]["volumeMounts"] =
        json!([{ "name": "programs", "mountPath": "/programs" }]);
    manifest["spec"]["volumes"] = json!([{ "name": "programs", "hostPath": { "path": kubectls_folder() } }]);
    let pod = space.run(&manifest);
    pod.wait_for("Succeeded");
    assert_eq!(pod.logs(), format!("system:serviceaccount:{}:default", space.name()));
}

fn kubectls_folder() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find(|folder| folder.join("kubectl").is_file());
    found.expect("a cluster's tests have kubectl")
}

#[test]
fn an_image_that_was_made_here_runs() {
    let Some(cluster) = Cluster::join() else { return };
    let space = cluster.namespace();
    // A static program, all that the image has.
    let root = PathBuf::from(format!("/run/{}-image", space.name()));
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(kubectls_folder().join("kubectl"), root.join("bin/kubectl")).unwrap();
    let archive = image("vgpu.test/made:1", &root, &["kubectl", "version", "--client"]);
    cluster.node("node-1").import(&archive);
    let mut manifest = busybox("made", "");
    manifest["spec"]["containers"][0] =
        json!({ "name": "main", "image": "vgpu.test/made:1", "imagePullPolicy": "Never" });
    manifest["spec"]["nodeName"] = json!("node-1");
    let pod = space.run(&manifest);
    pod.wait_for("Succeeded");
    assert!(pod.logs().starts_with("Client Version: v1."), "{}", pod.logs());
}
