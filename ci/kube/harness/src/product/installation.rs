//! The whole product on the cluster: agents, the scheduler with its webhook, and simulated cards.

use super::agent::{self, new_start};
use super::machine::{Machine, NODES};
use super::{chart, image, stage, workspace};
use crate::kubectl::kubectl;
use crate::wait::wait_until;
use serde_json::Value;
use std::path::PathBuf;

/// Two pods, of which one waits, relative to the checkout.
const EXAMPLE: &str = "ci/kube/example.yaml";

/// What somebody who has installed it may try next, in this order, and what it shows.
pub const NEXT: [(&str, &str); 5] = [
    (
        "cargo xtask kube kubectl apply --filename ci/kube/example.yaml",
        "two pods; one wants more than any GPU has",
    ),
    (
        "cargo xtask kube kubectl wait --for=condition=Ready pod/slice",
        "the other one gets a slice of 2,000 MiB",
    ),
    ("cargo xtask kube kubectl logs slice", "what a CUDA program in it was given"),
    ("cargo xtask kube vgpu nodes", "what is claimed of each GPU"),
    ("cargo xtask kube vgpu explain large", "why the other pod waits, and what would help"),
];

/// Gives nodes their cards, and the images of all that the chart installs; that of the extender is in this archive.
///
/// # Panics
/// An image cannot be made, or something of a node refuses.
pub fn prepare(nodes: &[(&str, [&str; 2])], extender: PathBuf) {
    for (node, cards) in nodes {
        Machine::of(node).install(cards);
    }
    let agent = stage().join("bin/vgpu-node-agent");
    let agent = image::agent(image::TAG, &agent, &stage().join("lib/libvgpu.so"));
    let names: Vec<&str> = nodes.iter().map(|(node, _)| *node).collect();
    image::give(&[agent, extender, image::kube_scheduler()], &names);
}

/// Installs the chart with these values, over which those go that `flags` of helm name, and returns when pods may ask for slices.
///
/// # Panics
/// Something refuses, or does not become ready.
pub fn install(nodes: &[&str], values: &Value, flags: &[&str]) {
    chart::apply(&chart::helm(&[&["template"], flags].concat(), values));
    let ours = format!("--selector=app.kubernetes.io/instance={}", chart::RELEASE);
    let status = ["rollout", "status", "daemonsets,deployments", &ours, "--timeout=2m"];
    kubectl(&[&["--namespace", chart::SYSTEM], &status[..]].concat(), "")
        .unwrap_or_else(|error| panic!("{error}\n{}", agent::describe(nodes)));
    // The webhook's authority is named in its configuration a moment after the first start.
    let example = workspace().join(EXAMPLE).display().to_string();
    let apply = || kubectl(&["apply", "--dry-run=server", "--filename", &example], "");
    wait_until("the example is accepted", || apply().ok(), || format!("{:?}", apply()));
}

/// Installs what is on the stage on all nodes that there are, as [`prepare`] and [`install`] do. `file` has values of the chart.
///
/// # Panics
/// As they do.
pub fn install_stage(file: Option<&str>) {
    let there = kubectl(&["get", "nodes", "-o", "name"], "").unwrap_or_else(|error| panic!("{error}"));
    let is_there = |name: &str| there.lines().any(|line| line == format!("node/{name}"));
    let nodes: Vec<_> = NODES.into_iter().filter(|(node, _)| is_there(node)).collect();
    prepare(&nodes, image::extender(&stage().join("bin/vgpu-scheduler-extender"), None));
    let names: Vec<&str> = nodes.iter().map(|(node, _)| *node).collect();
    let flags = file.map_or_else(Vec::new, |file| vec!["--values", file]);
    install(&names, &chart::values_of(&new_start()), &flags);
}
