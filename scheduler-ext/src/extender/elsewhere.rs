//! Nodes that were not offered.
//!
//! kube-scheduler offers only a sample of a large cluster's nodes, another one at each try. Where no node of the sample fits, it takes
//! the pod for unschedulable, and tries it again only when something happens. If a node beyond the sample fits, it has to be told so.

use std::collections::HashSet;

use super::filter::Asker;
use crate::api::Pod;
use crate::ledger::NodeFacts;

/// The first by name of the nodes beyond those that were offered that takes the pod, as far as can be said here: by its GPUs, its
/// labels and its taints. What is said too often costs a try of the pod every few seconds; what is never said, a pod that waits.
pub(super) fn find<'a>(asker: &mut Asker<'a>, offered: &HashSet<&str>) -> Option<&'a str> {
    let (ledger, pod) = (asker.ledger, asker.pod);
    let others =
        ledger.nodes().filter(|node| node.devices.is_ok() && !offered.contains(node.facts.name.as_str()));
    let mut open: Vec<&str> =
        others.filter(|node| is_open(node.facts, pod)).map(|node| node.facts.name.as_str()).collect();
    open.sort_unstable();
    open.into_iter().find(|name| asker.on_node(name, ledger.likeness(name)).is_ok())
}

/// Whether neither side keeps the other away.
fn is_open(node: &NodeFacts, pod: &Pod) -> bool {
    let spec = &pod.spec;
    let keeps_away = |effect: &str| matches!(effect, "NoSchedule" | "NoExecute");
    let is_tolerated = |taint| spec.tolerations.iter().any(|toleration| toleration.covers(taint));
    let required = &spec.affinity.node_affinity.required_during_scheduling_ignored_during_execution;
    !node.is_cordoned
        && node.taints.iter().all(|taint| !keeps_away(&taint.effect) || is_tolerated(taint))
        && spec.node_selector.iter().all(|(key, value)| node.labels.get(key) == Some(value))
        && required.as_ref().is_none_or(|selector| selector.holds(&node.name, &node.labels))
}
