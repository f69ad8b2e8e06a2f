//! Versions of the library that come and go, and a node that the agent leaves.

use std::fs;
use std::path::Path;
use std::process::Command;

use kube_harness::{Cluster, kubectl, wait_until};
use serde_json::{Value, json};

use crate::agent::{Agent, NODE, log};
use crate::chart;
use crate::tenant::{manifest, run};

const STATE: &str = "/var/lib/vgpu";

/// Whether it was done, and what was said.
fn uninstall() -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vgpu-node-agent"))
        .args(["--node-name", NODE, "uninstall"])
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What is written on the Node in our domain, but for the resource that kubelet counts and the label that people set.
fn written() -> Vec<String> {
    let text = kubectl(&["get", "node", NODE, "-o", "json"], "").unwrap();
    let node: Value = serde_json::from_str(&text).unwrap();
    let parts = [&node["metadata"]["annotations"], &node["metadata"]["labels"], &node["status"]["capacity"]];
    let names = parts.into_iter().filter_map(Value::as_object).flat_map(|part| part.keys().cloned());
    let ours = names.filter(|name| name.starts_with("nvidia.com/") && !name.ends_with("/vgpu-number"));
    ours.collect()
}

fn specs() -> usize {
    let names = fs::read_dir("/var/run/cdi").unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("vgpu.io-slice_")).count()
}

#[test]
fn a_node_is_left_as_it_was_but_not_while_pods_have_slices() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start_with(&json!({"featureGates": {"CorePlugin": true, "MemoryPlugin": true}}));
    let space = cluster.namespace();
    let pod = run(&space, &manifest("tenant", "sleep 1000"), &[("main", 1000)]);
    pod.wait_for("Running");
    wait_until(
        "the node is registered",
        || (written().len() >= 7).then_some(()),
        || format!("{:?}\n{}", written(), log()),
    );
    let (done, said) = uninstall();
    assert!(!done && said.contains("an agent is at work in /var/lib/vgpu"), "{said}");
    agent.stop();
    let (done, said) = uninstall();
    let expected = format!("pods have slices here: {}/tenant", space.name());
    assert!(!done && said.contains(&expected), "{said}");
    assert!(specs() > 0 && written().len() >= 7);
    pod.delete();
    wait_until("the pod has gone", || pod.get().is_none().then_some(()), || pod.describe());
    let (done, said) = uninstall();
    assert!(done, "{said}");
    assert_eq!((specs(), written()), (0, Vec::new()));
    assert!(!Path::new(STATE).exists());
    assert!(!Path::new("/var/lib/kubelet/device-plugins/nvidia.com_vgpu-number.sock").exists());
}

#[test]
fn nodes_are_left_by_the_chart_too() {
    let Some(_cluster) = Cluster::alone() else { return };
    let gates = json!({"featureGates": {"CorePlugin": true, "MemoryPlugin": true}});
    let _agent = Agent::start_with(&gates);
    let explain = || format!("{:?}\n{}", written(), log());
    wait_until("the node is registered", || (written().len() >= 7).then_some(()), explain);
    let mut leaving = chart::values();
    chart::merge(&mut leaving, &gates);
    chart::merge(&mut leaving, &json!({"leave": {"enabled": true}}));
    chart::install(&leaving);
    let is_empty = || fs::read_dir(STATE).unwrap().next().is_none();
    let is_left = || (written().is_empty() && specs() == 0 && is_empty()).then_some(());
    wait_until("nothing is left but a directory that is mounted", is_left, explain);
    let is_said = || log().contains("nothing of the agent is left on this node").then_some(());
    wait_until("that is said", is_said, log);
    chart::remove();
}

#[test]
fn the_agent_is_ready_because_the_runtime_says_that_it_reads_cdi_specs() {
    let Some(_cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let is_said = || log().contains(": fulfilled condition=\"cdi-runtime\"").then_some(());
    wait_until("the runtime has been asked", is_said, log);
}
