//! Pods for which kube-scheduler has others preempted, and which are not bound yet.
//!
//! What their victims give back is theirs: for pods of the same or less importance they count as if they were on their node already, as
//! in kube-scheduler's own filters. Else whoever asks first would have it, and pods be preempted for it again and again.

use std::cmp::Reverse;
use std::collections::HashMap;

use contract::claim::PodUid;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use placement::{Effort, Node, place};

use super::pod::PodFacts;
use crate::request::Ask;

/// A pod that is to come to a node.
#[derive(Clone, Debug)]
pub struct Nominated {
    pub(super) facts: PodFacts,
    pub(super) node: String,
    pub(super) ask: Ask,
}

/// All of them, by node.
#[derive(Clone, Debug, Default)]
pub(super) struct Nominations(HashMap<String, Vec<Nominated>>);

impl Nominations {
    pub(super) fn put(&mut self, nominated: Nominated) {
        self.remove(&nominated.facts.id.uid);
        self.0.entry(nominated.node.clone()).or_default().push(nominated);
    }

    pub(super) fn remove(&mut self, uid: &PodUid) {
        for all in self.0.values_mut() {
            all.retain(|nominated| nominated.facts.id.uid != *uid);
        }
        self.0.retain(|_, all| !all.is_empty());
    }

    pub(super) fn are_on(&self, node: &str) -> bool {
        self.0.contains_key(node)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// `devices` of the node with what others are to have there that go before `pod`; `None` if there are none. Who `is_there` has it.
    pub(super) fn with(
        &self,
        node: &str,
        devices: &Node,
        pod: Option<&PodFacts>,
        is_there: impl Fn(&PodUid) -> bool,
        effort: &mut Effort,
    ) -> Option<Node> {
        let there = self.0.get(node)?;
        let is_it = |other: &Nominated| pod.is_some_and(|pod| pod.id.uid == other.facts.id.uid);
        let pod = Asker { facts: pod, is_to_come: there.iter().any(is_it) };
        let counts = |other: &&Nominated| !is_there(&other.facts.id.uid) && pod.comes_after(&other.facts);
        let mut all: Vec<&Nominated> = there.iter().filter(counts).collect();
        all.sort_by(|one, other| turn(&one.facts).cmp(&turn(&other.facts)));
        let mut devices = (!all.is_empty()).then(|| devices.clone())?;
        for Nominated { ask, .. } in all {
            // Its victims may not have gone yet: then it has nothing there so far.
            let Ok(placement) = place(&devices, &ask.request, effort) else { continue };
            for (device, amount) in placement.peak(&ask.request) {
                devices.devices[device].used = devices.devices[device].used.plus(amount);
            }
        }
        Some(devices)
    }
}

/// When it is a pod's turn: the most important first, of equals the oldest. No two are equal, lest each wait for the other.
fn turn(pod: &PodFacts) -> (Reverse<i32>, Option<&Time>, &str) {
    (Reverse(pod.priority), pod.created.as_ref(), pod.id.uid.as_str())
}

/// Who asks for room on a node.
struct Asker<'a> {
    /// `None`: nobody in particular, who comes after all others.
    facts: Option<&'a PodFacts>,
    /// Whether others were preempted there for it as well.
    is_to_come: bool,
}

impl Asker<'_> {
    fn comes_after(&self, other: &PodFacts) -> bool {
        let Some(own) = self.facts else { return true };
        if self.is_to_come { turn(other) < turn(own) } else { other.priority >= own.priority }
    }
}
