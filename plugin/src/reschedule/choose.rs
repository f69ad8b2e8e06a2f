//! Which pod is to be made anew elsewhere. Pure: time is an argument.
//!
//! Never one that nobody would make anew, that would come back to this node, or of which anything runs. So that a workload that
//! fits nowhere is not evicted over and over, each eviction of one owner's pod makes the next one wait twice as long.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::prepare::ELSEWHERE;

/// How long a pod may stand still first: a GPU may recover, a pod that is just going may make room.
const GRACE: Duration = Duration::from_secs(60);

/// The first pause between evictions for one owner, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(3600)];

/// The annotation of pods that a file on the node has made.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Priority from which on a pod belongs to the cluster itself.
const CRITICAL: i32 = 2_000_000_000;

/// Why kubelet has refused a pod for good, for want of devices.
const NOT_ADMITTED: [&str; 2] = ["UnexpectedAdmissionError", "OutOf"];

/// A pod that is to be evicted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stuck<'a> {
    pub(super) pod: &'a Pod,
    pub(super) name: &'a str,
    pub(super) reason: String,
}

/// What is remembered between looks.
#[derive(Debug)]
pub(super) struct Chooser {
    resource: String,
    /// Since when pods stand still, by uid.
    since: BTreeMap<String, Duration>,
    /// By uid: when pods of an owner may be evicted again, and the pause after that.
    owners: BTreeMap<String, (Duration, Duration)>,
}

impl Chooser {
    /// For pods that ask for `resource`.
    pub(super) fn new(resource: &str) -> Self {
        Self { resource: resource.to_owned(), since: BTreeMap::new(), owners: BTreeMap::new() }
    }

    /// The pod that is to be evicted now, of all `pods` of this node; it counts as evicted.
    pub(super) fn choose<'a>(&mut self, pods: &'a [Pod], now: Duration) -> Option<Stuck<'a>> {
        let stuck: Vec<(&str, &OwnerReference, Stuck<'a>)> =
            pods.iter().filter_map(|pod| self.stuck(pod)).collect();
        self.since.retain(|uid, _| stuck.iter().any(|(other, ..)| other == uid));
        self.owners.retain(|_, (next, pause)| now < *next + *pause);
        for (uid, ..) in &stuck {
            self.since.entry((*uid).to_owned()).or_insert(now);
        }
        let is_due = |uid: &str| self.since.get(uid).is_some_and(|since| now.saturating_sub(*since) >= GRACE);
        let may = |owner: &OwnerReference| self.owners.get(&owner.uid).is_none_or(|(next, _)| *next <= now);
        let (_, owner, chosen) = stuck.into_iter().find(|(uid, owner, _)| is_due(uid) && may(owner))?;
        let pause = self.owners.get(&owner.uid).map_or(PAUSES[0], |(_, pause)| *pause);
        self.owners.insert(owner.uid.clone(), (now + pause, (2 * pause).min(PAUSES[1])));
        Some(chosen)
    }

    /// The uid of a pod that cannot start and its owner, if it can be made anew elsewhere.
    fn stuck<'a>(&self, pod: &'a Pod) -> Option<(&'a str, &'a OwnerReference, Stuck<'a>)> {
        let owner = owner(pod)?;
        let (spec, metadata) = (pod.spec.as_ref()?, &pod.metadata);
        let is_mirror = metadata.annotations.as_ref().is_some_and(|all| all.contains_key(MIRROR));
        let is_critical = spec.priority.is_some_and(|priority| priority >= CRITICAL);
        if is_mirror || is_critical || metadata.deletion_timestamp.is_some() {
            return None;
        }
        let reason = self.not_admitted(pod).or_else(|| not_prepared(pod))?;
        let stuck = Stuck { pod, name: metadata.name.as_deref()?, reason };
        Some((metadata.uid.as_deref()?, owner, stuck))
    }

    /// What kubelet said when it refused the pod for want of our devices.
    fn not_admitted(&self, pod: &Pod) -> Option<String> {
        let status = pod.status.as_ref().filter(|status| status.phase.as_deref() == Some("Failed"))?;
        let reason = status.reason.as_deref()?;
        let message = status.message.clone().unwrap_or_default();
        let is_ours = reason.contains(&self.resource) || message.contains(&self.resource);
        (is_ours && NOT_ADMITTED.iter().any(|of| reason.starts_with(of))).then_some(message)
    }
}

/// Who makes the pod anew, wherever there is room.
fn owner(pod: &Pod) -> Option<&OwnerReference> {
    let owners = pod.metadata.owner_references.iter().flatten();
    let mut owners = owners.filter(|owner| owner.controller == Some(true));
    owners.next().filter(|owner| !matches!(owner.kind.as_str(), "DaemonSet" | "Node"))
}

/// What the agent has said about a container that waits, if another node may do and nothing of the pod runs or has run.
fn not_prepared(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref().filter(|status| status.phase.as_deref() == Some("Pending"))?;
    let apps = status.container_statuses.iter().flatten();
    let all = || apps.clone().chain(status.init_container_statuses.iter().flatten());
    let runs = |of: &ContainerStatus| of.state.as_ref().is_some_and(|state| state.running.is_some());
    if all().any(runs) || apps.clone().any(|of| of.restart_count > 0) {
        return None;
    }
    let waits = all().filter_map(|of| of.state.as_ref()?.waiting.as_ref()?.message.as_deref());
    waits.into_iter().find(|message| message.contains(ELSEWHERE)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const RESOURCE: &str = "nvidia.com/vgpu-number";
    const SAID: &str =
        "PreStartContainer rpc failed: GPU-1 cannot be used now: it is lost (another node may do)";

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn waiting(uid: &str, owner: &str) -> Value {
        json!({
            "metadata": {"name": uid, "namespace": "n", "uid": uid, "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": true}
            ]},
            "spec": {"containers": [{"name": "main"}]},
            "status": {"phase": "Pending", "containerStatuses": [{
                "name": "main", "ready": false, "restartCount": 0, "image": "", "imageID": "",
                "state": {"waiting": {"reason": "CreateContainerConfigError", "message": SAID}}
            }]}
        })
    }

    fn pods(all: &[Value]) -> Vec<Pod> {
        all.iter().map(|pod| serde_json::from_value(pod.clone()).unwrap()).collect()
    }

    /// The pod that is chosen of those that have stood still for an hour.
    fn chosen(pod: &Value) -> Option<String> {
        let (mut chooser, pods) = (Chooser::new(RESOURCE), pods(std::slice::from_ref(pod)));
        assert_eq!(chooser.choose(&pods, seconds(0)), None, "it is given time");
        chooser.choose(&pods, seconds(3600)).map(|stuck| stuck.name.to_owned())
    }

    #[test]
    fn a_pod_that_cannot_start_here_is_chosen_after_a_while() {
        let (mut chooser, pods) = (Chooser::new(RESOURCE), pods(&[waiting("a", "set")]));
        assert_eq!(chooser.choose(&pods, seconds(0)), None);
        assert_eq!(chooser.choose(&pods, seconds(59)), None);
        let stuck = chooser.choose(&pods, seconds(60)).unwrap();
        assert_eq!((stuck.name, stuck.reason.as_str()), ("a", SAID));
    }

    #[test]
    fn one_that_has_started_meanwhile_begins_anew() {
        let mut chooser = Chooser::new(RESOURCE);
        let mut well = waiting("a", "set");
        well["status"]["containerStatuses"][0]["state"] = json!({"running": {}});
        chooser.choose(&pods(&[waiting("a", "set")]), seconds(0));
        chooser.choose(&pods(&[well]), seconds(50));
        assert_eq!(chooser.choose(&pods(&[waiting("a", "set")]), seconds(60)), None);
    }

    #[test]
    fn a_pod_that_kubelet_refused_for_want_of_devices_is_chosen() {
        let mut pod = waiting("a", "set");
        for (reason, message, is_chosen) in [
            (
                "UnexpectedAdmissionError",
                "Allocate failed due to no healthy devices; nvidia.com/vgpu-number",
                true,
            ),
            ("OutOfnvidia.com/vgpu-number", "Node didn't have enough resource", true),
            ("UnexpectedAdmissionError", "Allocate failed due to example.com/nic", false),
            ("Evicted", "The node had condition: nvidia.com/vgpu-number", false),
        ] {
            pod["status"] = json!({"phase": "Failed", "reason": reason, "message": message});
            assert_eq!(chosen(&pod).is_some(), is_chosen, "{reason}");
        }
    }

    #[test]
    fn what_nobody_makes_anew_or_comes_back_here_or_runs_stays() {
        assert!(chosen(&waiting("a", "set")).is_some());
        let change = |path: &str, value: Value| {
            let mut pod = waiting("a", "set");
            *pod.pointer_mut(path).unwrap() = value;
            chosen(&pod)
        };
        for (path, value) in [
            ("/metadata/ownerReferences", json!([])),
            ("/metadata/ownerReferences/0/controller", json!(false)),
            ("/metadata/ownerReferences/0/kind", json!("DaemonSet")),
            ("/metadata/ownerReferences/0/kind", json!("Node")),
            ("/spec", json!({"containers": [], "priority": 2_000_000_000})),
            ("/status/containerStatuses/0/state", json!({"running": {}})),
            ("/status/containerStatuses/0/restartCount", json!(1)),
            ("/status/containerStatuses/0/state/waiting/message", json!("the pod has no claim")),
        ] {
            assert_eq!(change(path, value), None, "{path}");
        }
        for (key, value) in
            [("annotations", json!({MIRROR: "x"})), ("deletionTimestamp", json!("2026-01-01T00:00:00Z"))]
        {
            let mut pod = waiting("a", "set");
            pod["metadata"][key] = value;
            assert_eq!(chosen(&pod), None, "{key}");
        }
    }

    /// How often pods of one owner are evicted in a day, when each comes back to this node at once.
    #[test]
    fn a_workload_that_fits_nowhere_is_not_evicted_over_and_over() {
        let mut chooser = Chooser::new(RESOURCE);
        let mut evicted: u32 = 0;
        for round in 0..24 * 60 * 4 {
            let pods = pods(&[waiting(&format!("pod-{evicted}"), "set")]);
            evicted += u32::from(chooser.choose(&pods, seconds(15 * round)).is_some());
        }
        assert!((20..=32).contains(&evicted), "{evicted} times");
    }

    #[test]
    fn at_one_look_one_pod_is_chosen_and_another_owners_does_not_wait_for_it() {
        let mut chooser = Chooser::new(RESOURCE);
        let pods = pods(&[waiting("a", "set"), waiting("b", "set"), waiting("c", "other")]);
        chooser.choose(&pods, seconds(0));
        let mut next = |at| chooser.choose(&pods, seconds(at)).map(|stuck| stuck.name);
        assert_eq!((next(60), next(75), next(90)), (Some("a"), Some("c"), None));
    }
}
