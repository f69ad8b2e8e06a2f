//! What the agent says on the Node.

use kube_harness::product::machine::{ALL, GPU, Machine};
use kube_harness::{Cluster, kubectl, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::agent::{Agent, NODE, log};

const LABEL: &str = "nvidia.com/vgpu-config";

fn node() -> Value {
    let text = kubectl(&["get", "node", NODE, "-o", "json"], "").unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// What kubelet gives out of a resource; kubelet makes it of the capacity that the agent writes.
fn allocatable(resource: &str) -> Option<String> {
    Some(node()["status"]["allocatable"][resource].as_str()?.to_owned())
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    wait_until(what, || is_so().then_some(()), || format!("{}\n{:#}", log(), node()["status"]));
}

/// The one GPU as it is registered.
fn registered() -> Value {
    let annotation = node()["metadata"]["annotations"]["nvidia.com/node-device-register"].clone();
    let gpus: Value = serde_json::from_str(annotation.as_str().unwrap_or("[]")).unwrap();
    gpus[0].clone()
}

/// Takes the label away again.
struct Labelled;

impl Labelled {
    fn new(section: &str) -> Self {
        kubectl(&["label", "--overwrite", "node", NODE, &format!("{LABEL}={section}")], "").unwrap();
        Self
    }
}

impl Drop for Labelled {
    fn drop(&mut self) {
        let _ = kubectl(&["label", "node", NODE, &format!("{LABEL}-")], "");
    }
}

#[test]
fn the_node_says_what_it_has_also_when_that_was_lost_or_its_label_is_another() {
    let Some(_cluster) = Cluster::alone() else { return };
    let agent = Agent::start_with(&json!({
        "featureGates": {"CorePlugin": true, "MemoryPlugin": true},
        "config": {"nodes": {"half": {"splitCount": 3, "memoryScaling": 0.5}}}
    }));
    let is = |resource: &str, amount: &str| allocatable(resource).as_deref() == Some(amount);
    until("cores can be given out", || is("nvidia.com/vgpu-cores", "100"));
    until("memory can be given out", || is("nvidia.com/vgpu-memory", &ALL.to_string()));
    let gpu = registered();
    assert_eq!((gpu["uuid"].as_str(), gpu["number"].as_u64()), (Some(GPU), Some(10)));
    assert_eq!((gpu["memory"].as_u64(), gpu["healthy"].as_bool()), (Some(ALL.into()), Some(true)));
    let lost = r#"{"status":{"capacity":{"nvidia.com/vgpu-cores":"7"}}}"#;
    kubectl(&["patch", "node", NODE, "--subresource=status", "--type=merge", "--patch", lost], "").unwrap();
    until("cores are what they are again", || is("nvidia.com/vgpu-cores", "100"));
    let labelled = Labelled::new("half");
    until("kubelet counts three parts", || agent.offered() == Some(3));
    until("half of the memory is left", || is("nvidia.com/vgpu-memory", &(ALL / 2).to_string()));
    assert_eq!(registered()["number"], 3);
    drop(labelled);
    until("all is as before", || agent.offered() == Some(10));
    let _agent = Agent::start();
    let amounts = ["nvidia.com/vgpu-cores", "nvidia.com/vgpu-memory"];
    until("resources without a gate are gone", || {
        amounts.iter().all(|name| node()["status"]["capacity"][name].is_null())
    });
}

/// The driver, which hangs until this is dropped.
struct Hanging(Pid);

impl Hanging {
    fn new() -> Self {
        let pid = Machine::of(NODE).process();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        kill_process(self.0, Signal::CONT).unwrap();
    }
}

#[test]
fn a_driver_that_hangs_is_said_and_recovers_while_the_agent_goes_on() {
    let Some(_cluster) = Cluster::alone() else { return };
    let agent = Agent::start();
    let said = |reason: &str| {
        let fields = format!("reason={reason},involvedObject.name={NODE}");
        let text = kubectl(&["get", "events", "--all-namespaces", "--field-selector", &fields], "");
        text.is_ok_and(|text| text.contains(GPU))
    };
    let driver = Hanging::new();
    until("the GPU is bad", || agent.offered() == Some(0) && registered()["healthy"] == false);
    until("an event says so", || said("GPUUnhealthy"));
    drop(driver);
    until("the GPU is good again", || agent.offered() == Some(10) && registered()["healthy"] == true);
    until("an event says so", || said("GPURecovered"));
}
