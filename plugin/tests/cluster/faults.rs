//! A GPU that fails while pods are there: who named it waits and starts, and nobody else notices.

use kube_harness::product::machine::{FILL, GPU, Machine, OTHER};
use kube_harness::{Cluster, Namespace, Pod, kubectl, wait_until};
use serde_json::{Value, json};

use crate::agent::{self, Agent, NODE, log};
use crate::metrics::page;
use crate::tenant::{bind, claim_of_cards, manifest, total_of, uid};

/// How many containers may share a GPU.
const SPLIT: u32 = 10;

/// An agent on a node with two GPUs. One that reported an XID is well again after a minute.
fn start() -> Agent {
    Agent::start_on(&[GPU, OTHER], &json!({"config": {"default": {"health": {"recoverAfterSeconds": 60}}}}))
}

/// A pod with a claim for so many MiB of this card.
fn on(card: &str, space: &Namespace, name: &str, script: &str, memory: u32) -> Pod {
    let pod = space.run(&manifest(name, script));
    bind(space, &pod, Some(&claim_of_cards(&uid(&pod), &[("main", vec![(card, memory)])])));
    pod
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    wait_until(what, || is_so().then_some(()), log);
}

/// Waits until an event of the node says this of the card.
fn until_said(reason: &str, card: &str) {
    let fields = format!("reason={reason},involvedObject.name={NODE}");
    let events = || kubectl(&["get", "events", "--all-namespaces", "--field-selector", &fields], "");
    until(&format!("an event {reason}"), || events().is_ok_and(|text| text.contains(card)));
}

/// Whether each of the two is registered as good.
fn healthy() -> Vec<(String, bool)> {
    let text = kubectl(&["get", "node", NODE, "-o", "json"], "").unwrap_or_default();
    let node: Value = serde_json::from_str(&text).unwrap_or_default();
    let annotation = node["metadata"]["annotations"]["nvidia.com/node-device-register"].as_str();
    let gpus: Vec<Value> = serde_json::from_str(annotation.unwrap_or("[]")).unwrap();
    let told = |gpu: &Value| Some((gpu["uuid"].as_str()?.to_owned(), gpu["healthy"].as_bool()?));
    gpus.iter().filter_map(told).collect()
}

fn until_good(agent: &Agent, first: bool, second: bool) {
    let wanted = [(GPU.to_owned(), first), (OTHER.to_owned(), second)];
    let count = SPLIT * (u32::from(first) + u32::from(second));
    until(&format!("the GPUs are {first}, {second}"), || {
        agent.offered() == Some(count) && healthy() == wanted
    });
}

/// How often the container has started, and which one it is.
fn container(pod: &Pod) -> (Value, Value) {
    let status = &pod.get().expect("the pod is there")["status"]["containerStatuses"][0];
    (status["restartCount"].clone(), status["containerID"].clone())
}

/// Waits until an event of the pod says that the card cannot be used, and why.
fn until_waiting(pod: &Pod, card: &str, why: &str) {
    let reason = format!("{card} cannot be used now: ");
    let is_said = || pod.events().iter().any(|event| event.contains(&reason) && event.contains(why));
    pod.wait_until(&format!("an event says: {reason}… {why}"), |_| is_said());
    assert_eq!(container(pod).1, Value::Null, "it has started");
}

/// Does what makes the first of two GPUs bad, and what makes it good; between that a pod waits for it. A pod on the other one is
/// left alone, and another one starts.
fn fails_and_is_well(breaks: &[&str], mends: &[&str], why: &str) {
    let Some(cluster) = Cluster::alone() else { return };
    let (agent, machine) = (start(), Machine::of(NODE));
    until_good(&agent, true, true);
    let space = cluster.namespace();
    let neighbour = on(OTHER, &space, "neighbour", "sleep 1000", 1000);
    neighbour.wait_for("Running");
    let before = container(&neighbour);
    breaks.iter().for_each(|fault| machine.disturb(fault));
    until_good(&agent, false, true);
    let waiting = on(GPU, &space, "waiting", &format!("{FILL} 1"), 1234);
    until_waiting(&waiting, GPU, why);
    until_said("GPUUnhealthy", GPU);
    let later = on(OTHER, &space, "later", &format!("{FILL} 1"), 1500);
    later.wait_for("Succeeded");
    mends.iter().for_each(|fault| machine.disturb(fault));
    until_good(&agent, true, true);
    until_said("GPURecovered", GPU);
    waiting.wait_for("Succeeded");
    assert_eq!((total_of(&waiting.logs()), total_of(&later.logs())), (Some(1234), Some(1500)));
    assert_eq!(container(&neighbour), before);
    assert_eq!(total_of(&neighbour.exec(&[FILL, "1"]).unwrap()), Some(1000));
}

#[test]
fn a_pod_waits_for_a_gpu_that_reported_an_xid_and_nobody_else_does() {
    fails_and_is_well(&["0:xid=79"], &[], "79");
}

#[test]
fn a_pod_waits_for_a_gpu_that_went_until_it_is_back() {
    fails_and_is_well(&["0:lost"], &["0:present"], "fell off the bus");
}

#[test]
fn nvml_hangs_for_longer_than_it_is_waited_for_and_the_agent_serves_all_the_same() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = start();
    until_good(&agent, true, true);
    let restarts = || agent::pods()[0]["status"]["containerStatuses"][0]["restartCount"].clone();
    let before = restarts();
    let space = cluster.namespace();
    // Two looks at the GPUs fail meanwhile, and the GPUs are bad for a while.
    Machine::of(NODE).disturb("hang=45");
    let early = on(OTHER, &space, "early", &format!("{FILL} 1"), 1000);
    until_good(&agent, false, false);
    for path in ["/metrics", "/healthz"] {
        assert_eq!(page(path).expect("pages are served").0, "200", "{path}");
    }
    // Kubelet rejects for good a pod that comes while a node has no good device, so none is bound before.
    until_good(&agent, true, true);
    let late = on(GPU, &space, "late", &format!("{FILL} 1"), 2000);
    early.wait_for("Succeeded");
    late.wait_for("Succeeded");
    assert_eq!((total_of(&early.logs()), total_of(&late.logs())), (Some(1000), Some(2000)));
    assert_eq!(restarts(), before);
}
