//! The node agents, as the chart installs them.

use super::chart::{RELEASE, SYSTEM};
use super::process;
use super::tenant::NUMBER;
use crate::cluster::Node;
use crate::kubectl::kubectl;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where kubelet puts what containers write.
const LOGS: &str = "var/log/pods";
/// The agent's program, in its image.
const PROGRAM: &str = "/usr/bin/vgpu-node-agent";
/// The annotation that says of a pod for which start it was made.
pub const START: &str = "vgpu.test/start";

/// A text that no start before has had: another annotation is another pod, so what an agent has seen before is forgotten.
pub fn new_start() -> String {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed))
}

/// How many agents of this start say that they are ready.
pub fn ready(start: &str) -> usize {
    pods().iter().filter(|pod| pod["metadata"]["annotations"][START] == start && says_ready(pod)).count()
}

/// Whether a pod says that it is ready.
pub fn says_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// The agents' pods, those that are on their way out included.
pub fn pods() -> Vec<Value> {
    pods_of("node-agent")
}

/// The pods of a component of the product, those that are on their way out included.
pub fn pods_of(component: &str) -> Vec<Value> {
    let label = format!("app.kubernetes.io/component={component}");
    let pods = kubectl(&["--namespace", SYSTEM, "get", "pods", "--selector", &label, "-o", "json"], "");
    let list: Value = serde_json::from_str(&pods.unwrap_or_default()).unwrap_or_default();
    list["items"].as_array().cloned().unwrap_or_default()
}

/// How many devices a node has for pods, whether an agent runs or not.
pub fn offered(node: &str) -> Option<u32> {
    offered_as(node, NUMBER)
}

/// As [`offered`], where the resource is called so.
pub fn offered_as(node: &str, resource: &str) -> Option<u32> {
    let path = format!("jsonpath={{.status.allocatable.{}}}", resource.replace('.', "\\."));
    kubectl(&["get", "node", node, "-o", &path], "").ok()?.parse().ok()
}

/// Kills the agent of a node. Kubelet starts it anew, for which this does not wait.
pub fn kill(node: &str) {
    process::kill(node, &[PROGRAM]);
}

/// What people look at when it does not start.
pub fn describe(nodes: &[&str]) -> String {
    let all = kubectl(&["--namespace", SYSTEM, "describe", "daemonsets,deployments,pods"], "");
    format!("{}\n{}", all.unwrap_or_else(|error| error), log(nodes))
}

/// What all agents of these nodes have said whose pods are there.
pub fn log(nodes: &[&str]) -> String {
    said(nodes, "node-agent", "agent")
}

/// What a container of a component has said, on these nodes.
pub fn said(nodes: &[&str], component: &str, container: &str) -> String {
    let prefix = format!("{SYSTEM}_{RELEASE}-{component}-");
    let is_ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    let directories = nodes.iter().flat_map(|node| entries(&Node::named(node).root().join(LOGS)));
    let files = directories.filter(is_ours).flat_map(|directory| entries(&directory.join(container)));
    let texts: Vec<String> = files.filter_map(|file| fs::read_to_string(file).ok()).collect();
    // A time, a stream and a letter come before what was written.
    let lines = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.splitn(4, ' ').nth(3));
    lines.collect::<Vec<_>>().join("\n")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
