//! The product on both nodes: agents, and two replicas of the scheduler.

use std::path::Path;
use std::sync::OnceLock;

use kube_harness::product::agent::{self, START, new_start, says_ready};
use kube_harness::product::machine::{GPU, Machine, OTHER};
use kube_harness::product::process::{self, Paused};
use kube_harness::product::{chart, image, stage};
use kube_harness::{Cluster, kubectl, wait_until};
use serde_json::{Value, json};

/// The nodes, and the cards of each.
pub(crate) const NODES: [(&str, [&str; 2]); 2] = [
    ("node-1", [GPU, OTHER]),
    ("node-2", ["GPU-3e722b18-5859-ef9f-6b77-7acc25a07a50", "GPU-4f833c29-696a-f0a0-7c88-8bdd36b18b61"]),
];
const NAMES: [&str; 2] = [NODES[0].0, NODES[1].0];
/// What pods name that want to be placed here, without the webhook doing it.
pub(crate) const SCHEDULER: &str = "vgpu-scheduler";
const REPLICAS: usize = 2;
/// How many containers may share a card: more than memory lets.
const SPLIT: u32 = 100;
/// The settings of nodes that a test has labelled with this, and how many containers may share a card there.
pub(crate) const FEW: &str = "few";
pub(crate) const FEW_SPLIT: u32 = 2;
/// The component of the scheduler's pods.
const COMPONENT: &str = "scheduler";
const LEASE: &str = "jsonpath={.spec.holderIdentity}";

/// The cluster with all of it, for one test at a time: each wants all cards.
pub(crate) fn site() -> Option<Cluster> {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    let cluster = Cluster::alone()?;
    INSTALLED.get_or_init(install);
    until_ready();
    Some(cluster)
}

fn install() {
    for (node, cards) in NODES {
        Machine::of(node).install(&cards);
    }
    let agent = stage().join("bin/vgpu-node-agent");
    let archives = [
        image::agent(image::TAG, &agent, &stage().join("lib/libvgpu.so")),
        image::extender(Path::new(env!("CARGO_BIN_EXE_vgpu-scheduler-extender"))),
        image::kube_scheduler(),
    ];
    image::give(&archives, &NAMES);
    let start = new_start();
    let mut values = chart::values();
    let ours = json!({
        "config": {"default": {"splitCount": SPLIT}, "nodes": {FEW: {"splitCount": FEW_SPLIT}}},
        "podAnnotations": {START: start},
        "scheduler": {"replicas": REPLICAS, "podAnnotations": {START: start}, "extraArgs": ["--audit-interval=5"]},
    });
    chart::merge(&mut values, &ours);
    chart::install(&values);
    let agents = || (agent::ready(&start) == NODES.len()).then_some(());
    wait_until("the agents are ready", agents, describe);
    let offers = |node: &str| agent::offered(node).is_some_and(|count| count > 0);
    wait_until("kubelets know the devices", || NAMES.into_iter().all(offers).then_some(()), describe);
}

/// Waits until all replicas of the scheduler are ready, and one leads.
pub(crate) fn until_ready() {
    let are_ready = || agent::pods_of(COMPONENT).iter().filter(|pod| says_ready(pod)).count() == REPLICAS;
    wait_until("the schedulers are ready", || (are_ready() && leader().is_some()).then_some(()), describe);
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
    fn command(self) -> &'static [&'static str] {
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
