//! Nodes on which pods of a controller could not start lately.
//!
//! Time is an argument. What is remembered is bounded, and forgotten after a while.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use contract::claim::PodUid;
use contract::refusals::ELSEWHERE;

use super::pod::PodFacts;
use crate::api::Pod;
use crate::request::Reader;

/// How long a node is not the first choice for pods of the same controller.
const PAUSE: Duration = Duration::from_secs(300);

/// How many controllers are remembered.
const MOST: usize = 4096;

/// Why kubelet refuses a pod for good, for want of devices.
const NOT_ADMITTED: [&str; 2] = ["UnexpectedAdmissionError", "OutOf"];

/// A pod could not start on its node, and another node may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    pod: PodUid,
    controller: String,
    node: String,
}

impl Setback {
    /// What `pod` tells of, if it has a controller that makes it anew.
    #[must_use]
    pub fn of(pod: &Pod, reader: &Reader) -> Option<Self> {
        let node = pod.spec.node_name.as_deref().filter(|node| !node.is_empty())?;
        let is_one = match pod.status.phase.as_deref()? {
            "Failed" => is_not_admitted(pod, &reader.names.number),
            "Pending" => pod.waits().any(|message| message.contains(ELSEWHERE)),
            _ => false,
        };
        if !is_one || !reader.concerns(pod) {
            return None;
        }
        let facts = PodFacts::of(pod)?;
        Some(Self { pod: facts.id.uid, controller: facts.controller?, node: node.to_owned() })
    }
}

/// Whether kubelet has refused it for want of `resource`, which it names.
fn is_not_admitted(pod: &Pod, resource: &str) -> bool {
    let status = &pod.status;
    let reason = status.reason.as_deref().unwrap_or_default();
    let message = status.message.as_deref().unwrap_or_default();
    let is_ours = reason.contains(resource) || message.contains(resource);
    is_ours && NOT_ADMITTED.iter().any(|of| reason.starts_with(of))
}

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Setbacks {
    /// By controller and node: when, and which pod it was.
    all: HashMap<String, BTreeMap<String, (Instant, PodUid)>>,
}

impl Setbacks {
    /// Remembers one. A pod that is told of again has still failed only once.
    pub(super) fn note(&mut self, setback: Setback, now: Instant) {
        if self.all.len() >= MOST && !self.all.contains_key(&setback.controller) {
            self.make_room(now);
        }
        let nodes = self.all.entry(setback.controller).or_default();
        nodes.retain(|_, (since, _)| is_recent(*since, now));
        let is_known = nodes.get(&setback.node).is_some_and(|(_, pod)| *pod == setback.pod);
        if !is_known {
            nodes.insert(setback.node, (now, setback.pod));
        }
    }

    pub(super) fn has(&self, controller: &str, node: &str, now: Instant) -> bool {
        let found = self.all.get(controller).and_then(|nodes| nodes.get(node));
        found.is_some_and(|(since, _)| is_recent(*since, now))
    }

    /// Forgets what is long ago, and where nothing is, the controller whose last one is longest ago.
    fn make_room(&mut self, now: Instant) {
        let last =
            |nodes: &BTreeMap<String, (Instant, PodUid)>| nodes.values().map(|(since, _)| *since).max();
        self.all.retain(|_, nodes| last(nodes).is_some_and(|since| is_recent(since, now)));
        if self.all.len() >= MOST {
            let oldest = self.all.iter().min_by_key(|(_, nodes)| last(nodes));
            let oldest = oldest.map(|(controller, _)| controller.clone());
            oldest.and_then(|controller| self.all.remove(&controller));
        }
    }
}

fn is_recent(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < PAUSE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::scene;
    use serde_json::{Value, json};

    fn failed(uid: &str, status: &Value) -> Option<Setback> {
        let mut pod = scene::pod(uid, &scene::asks(1, 1, 0));
        pod["spec"]["nodeName"] = json!("n");
        pod["status"] = status.clone();
        pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "set",
            "controller": true}]);
        Setback::of(&serde_json::from_value(pod).unwrap(), &scene::reader())
    }

    fn admission_error(resource: &str) -> Value {
        json!({"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": format!("Allocate failed: {resource}")})
    }

    #[test]
    fn pods_that_kubelet_or_the_agent_refuses_are_setbacks_and_others_are_not() {
        let waits = |message: &str| json!({"phase": "Pending", "containerStatuses": [{"name": "main", "state": {"waiting": {"message": message}}}]});
        for (status, is_one) in [
            (admission_error("nvidia.com/vgpu-number"), true),
            (admission_error("example.com/nic"), false),
            (json!({"phase": "Failed", "reason": "OutOfnvidia.com/vgpu-number"}), true),
            (json!({"phase": "Failed", "reason": "Evicted"}), false),
            (waits("GPU-1 cannot be used now: it is lost (another node may do)"), true),
            (waits("ImagePullBackOff"), false),
            (json!({"phase": "Running"}), false),
        ] {
            assert_eq!(failed("a", &status).is_some(), is_one, "{status}");
        }
    }

    #[test]
    fn a_setback_counts_for_five_minutes_and_the_same_pod_once() {
        let (mut setbacks, start) = (Setbacks::default(), Instant::now());
        let one = failed("a", &admission_error("nvidia.com/vgpu-number")).unwrap();
        setbacks.note(one.clone(), start);
        setbacks.note(one, start + Duration::from_secs(200));
        let has = |setbacks: &Setbacks, second| setbacks.has("set", "n", start + Duration::from_secs(second));
        assert!(has(&setbacks, 299) && !has(&setbacks, 300));
        assert!(!setbacks.has("set", "m", start) && !setbacks.has("other", "n", start));
        let next = failed("b", &admission_error("nvidia.com/vgpu-number")).unwrap();
        setbacks.note(next, start + Duration::from_secs(250));
        assert!(has(&setbacks, 549) && !has(&setbacks, 550));
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let (mut setbacks, start) = (Setbacks::default(), Instant::now());
        let pod: PodUid = "a".parse().unwrap();
        for number in 0..MOST + 10 {
            let setback =
                Setback { pod: pod.clone(), controller: format!("c{number}"), node: "n".to_owned() };
            setbacks.note(setback, start + Duration::from_millis(number as u64));
        }
        assert_eq!(setbacks.all.len(), MOST);
        assert!(!setbacks.has("c0", "n", start) && setbacks.has("c10", "n", start));
    }
}
