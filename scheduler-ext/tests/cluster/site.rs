//! The product on both nodes: agents, and replicas of the scheduler.

pub(crate) use kube_harness::product::machine::NODES;
use kube_harness::product::process::{self, Paused};
use kube_harness::product::{agent, chart};
use kube_harness::{Cluster, kubectl, wait_until};
use serde_json::Value;

use crate::installation::{self, Way};

/// The names of the nodes.
pub(crate) const NAMES: [&str; 2] = [NODES[0].0, NODES[1].0];
/// What pods name that want to be placed here, without the webhook doing it.
pub(crate) const SCHEDULER: &str = "vgpu-scheduler";
/// The settings of nodes that a test has labelled with this, and how many containers may share a card there.
pub(crate) const FEW: &str = "few";
pub(crate) const FEW_SPLIT: u32 = 2;
/// The component of the scheduler's pods.
pub(crate) const COMPONENT: &str = "scheduler";
const LEASE: &str = "jsonpath={.spec.holderIdentity}";

/// The cluster with all of it, for one test at a time: each wants all cards.
pub(crate) fn site() -> Option<Cluster> {
    site_in(Way::Usual)
}

/// As [`site`], installed in a way of its own.
pub(crate) fn site_in(way: Way) -> Option<Cluster> {
    let cluster = Cluster::alone()?;
    installation::ensure(way);
    until_ready();
    Some(cluster)
}

/// Waits until all replicas of the scheduler are ready, and one leads.
pub(crate) fn until_ready() {
    let is_ready = || (installation::is_complete() && leader().is_some()).then_some(());
    wait_until("the schedulers are ready", is_ready, describe);
}

/// A pod of the scheduler.
#[derive(Debug)]
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) node: String,
    pub(crate) address: String,
}

/// Those that are placed and have an address.
pub(crate) fn replicas() -> Vec<Replica> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let replica = |pod: &Value| {
        Some(Replica {
            name: text(&pod["metadata"]["name"])?,
            node: text(&pod["spec"]["nodeName"])?,
            address: text(&pod["status"]["podIP"])?,
        })
    };
    agent::pods_of(COMPONENT).iter().filter_map(replica).collect()
}

/// The one that leads.
pub(crate) fn leader() -> Option<Replica> {
    let holder = kubectl(&["--namespace", chart::SYSTEM, "get", "lease", SCHEDULER, "-o", LEASE], "").ok()?;
    let (name, _) = holder.split_once('_')?;
    replicas().into_iter().find(|replica| replica.name == name)
}

/// Kills the program of one container of the scheduler's pod on a node. Kubelet starts it anew.
pub(crate) fn kill(node: &str, container: Container) {
    process::kill(node, container.command());
}

/// Stops that program, until the answer is dropped.
pub(crate) fn pause(node: &str, container: Container) -> Paused {
    process::pause(node, container.command())
}

/// A container of the scheduler's pod.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Container {
    KubeScheduler,
    Extender,
}

impl Container {
    /// How its program was started; the cluster's own kube-scheduler has another configuration.
    pub(crate) fn command(self) -> &'static [&'static str] {
        match self {
            Self::KubeScheduler => &["kube-scheduler", "--config=/etc/kube-scheduler/config.yaml"],
            Self::Extender => &["/usr/bin/vgpu-scheduler-extender"],
        }
    }
}

/// What people look at when something does not come.
pub(crate) fn describe() -> String {
    let said = |container| agent::said(&NAMES, COMPONENT, container);
    format!("{}\n{}\n{}", agent::describe(&NAMES), said("extender"), said("kube-scheduler"))
}
