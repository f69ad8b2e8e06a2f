//! The stand-in for the scheduler: it gives each container an amount of memory that hardly any other has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube_harness::Namespace;
use kube_harness::product::machine::{ALL, GPU, OTHER};
use serde_json::Value;

use crate::agent;
use crate::tenant::{claim_of_cards, try_bind};

const PAUSE: Duration = Duration::from_millis(500);
/// The least that is given: a context alone takes 426 MiB.
const LEAST: u32 = 480;
/// Amounts are [`LEAST`] and up to so much more, all of them different for so many containers.
const DIFFERENT: u32 = 499;

/// What one container was given.
#[derive(Clone, Copy, Debug)]
struct Part {
    card: &'static str,
    memory: u32,
}

/// What was given to whom, and what became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    claims: BTreeMap<String, BTreeMap<String, Part>>,
    /// Pods that kubelet did not accept, with its reason.
    rejected: BTreeMap<String, String>,
    /// Starts of containers that the runtime failed at: whose, which one, and why.
    failed: BTreeSet<(String, String, String)>,
}

impl Given {
    pub(super) fn claimed(&self, uid: &str, container: &str) -> Option<u32> {
        Some(self.claims.get(uid)?.get(container)?.memory)
    }

    pub(super) fn containers(&self, uid: &str) -> impl Iterator<Item = String> {
        self.claims.get(uid).into_iter().flat_map(BTreeMap::keys).cloned()
    }

    fn note(&mut self, pod: &Value) {
        let Some(uid) = uid_of(pod) else { return };
        if let (Some("Failed"), Some(reason)) =
            (pod["status"]["phase"].as_str(), pod["status"]["reason"].as_str())
        {
            self.rejected.insert(uid.clone(), reason.to_owned());
        }
        let statuses = ["initContainerStatuses", "containerStatuses"];
        let all = statuses.iter().filter_map(|kind| pod["status"][kind].as_array()).flatten();
        for status in all {
            for ended in [&status["state"]["terminated"], &status["lastState"]["terminated"]] {
                if ended["reason"] == "StartError" {
                    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                    self.failed.insert((uid.clone(), text(&ended["containerID"]), text(&ended["message"])));
                }
            }
        }
    }

    /// Gives each container of `pod` a part of the card with the most left of what `living` have not.
    fn give(
        &mut self,
        uid: &str,
        containers: &[String],
        living: &BTreeSet<String>,
    ) -> Option<&BTreeMap<String, Part>> {
        let mut left = BTreeMap::from([(GPU, ALL), (OTHER, ALL)]);
        for part in
            self.claims.iter().filter(|(uid, _)| living.contains(*uid)).flat_map(|(_, parts)| parts.values())
        {
            *left.get_mut(part.card)? -= part.memory;
        }
        let mut parts = BTreeMap::new();
        for (number, container) in (self.claims.values().map(BTreeMap::len).sum::<usize>()..).zip(containers)
        {
            let memory = LEAST + u32::try_from(number).ok()? * 41 % DIFFERENT;
            let (card, left) = left.iter_mut().max_by_key(|(_, left)| **left)?;
            *left = left.checked_sub(memory)?;
            parts.insert(container.clone(), Part { card, memory });
        }
        self.claims.insert(uid.to_owned(), parts);
        self.claims.get(uid)
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let containers: usize = self.claims.values().map(BTreeMap::len).sum();
        write!(
            f,
            "{} pods with {containers} containers were bound, {} rejected",
            self.claims.len(),
            self.rejected.len()
        )?;
        let mut reasons = BTreeMap::<&str, u32>::new();
        self.rejected.values().for_each(|reason| *reasons.entry(reason).or_default() += 1);
        write!(f, " {reasons:?}; the runtime failed to start {}", self.failed.len())?;
        self.failed.iter().try_for_each(|(uid, _, why)| write!(f, "\n  of {uid}: {why}"))
    }
}

/// Binds the pods of a namespace.
pub(super) struct Scheduler<'a> {
    space: &'a Namespace,
    given: Mutex<Given>,
}

impl<'a> Scheduler<'a> {
    pub(super) fn new(space: &'a Namespace) -> Self {
        Self { space, given: Mutex::default() }
    }

    pub(super) fn given(&self) -> Given {
        self.given.lock().unwrap().clone()
    }

    pub(super) fn run(&self, is_over: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) {
            self.round();
            std::thread::sleep(PAUSE);
        }
    }

    /// Binds those that fit, as a scheduler would: kubelet says that it has devices, and there is memory.
    fn round(&self) {
        let pods = pods(self.space);
        let is_over = |pod: &Value| {
            ["Succeeded", "Failed"].contains(&pod["status"]["phase"].as_str().unwrap_or_default())
        };
        let bound = pods.iter().filter(|pod| pod["spec"]["nodeName"].is_string() && !is_over(pod));
        let mut used: usize = bound.clone().map(|pod| containers_of(pod).len()).sum();
        let mut living: BTreeSet<_> = bound.filter_map(uid_of).collect();
        let offered = agent::offered().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        pods.iter().for_each(|pod| self.given.lock().unwrap().note(pod));
        for pod in pods.iter().filter(|pod| is_waiting(pod)) {
            let (Some(uid), containers) = (uid_of(pod), containers_of(pod)) else { continue };
            if used + containers.len() > offered {
                return;
            }
            let mut given = self.given.lock().unwrap();
            let Some(parts) = given.give(&uid, &containers, &living) else { return };
            let devices: Vec<_> =
                parts.iter().map(|(name, part)| (name.as_str(), vec![(part.card, part.memory)])).collect();
            let claim = claim_of_cards(&uid, &devices);
            drop(given);
            // One that was deleted meanwhile is refused.
            let name = pod["metadata"]["name"].as_str().unwrap_or_default();
            if try_bind(self.space, &self.space.pod(name), Some(&claim)).is_ok() {
                used += containers.len();
                living.insert(uid);
            }
        }
    }
}

fn is_waiting(pod: &Value) -> bool {
    pod["spec"]["nodeName"].is_null() && pod["metadata"]["deletionTimestamp"].is_null()
}

/// The names of a pod's containers, each of which wants a device.
fn containers_of(pod: &Value) -> Vec<String> {
    let lists = ["initContainers", "containers"];
    let all = lists.iter().filter_map(|list| pod["spec"][list].as_array()).flatten();
    all.filter_map(|container| Some(container["name"].as_str()?.to_owned())).collect()
}

/// The pods of a namespace; none when the API server does not answer.
pub(super) fn pods(space: &Namespace) -> Vec<Value> {
    let text = space.kubectl(&["get", "pods", "-o", "json"]).unwrap_or_default();
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    list["items"].as_array().cloned().unwrap_or_default()
}

pub(super) fn uid_of(pod: &Value) -> Option<String> {
    Some(pod["metadata"]["uid"].as_str()?.to_owned())
}
