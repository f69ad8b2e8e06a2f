//! Pods for which kube-scheduler has others preempted, and which are not bound yet.
//!
//! What their victims give back is theirs: for pods of the same or less importance they count as if they were on their node already, as
//! in kube-scheduler's own filters. Else whoever asks first would have it, and pods be preempted for it again and again.

use std::cmp::Reverse;
use std::collections::HashMap;

use contract::claim::PodUid;
use placement::{Effort, Node, place};

use super::pod::PodFacts;
use crate::api::Pod;
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

    /// `devices` of the node with what others are to have there that are as important as `pod`, or more; `None` if there are none.
    pub(super) fn with(&self, node: &str, devices: &Node, pod: &Pod, effort: &mut Effort) -> Option<Node> {
        let priority = pod.spec.priority.unwrap_or_default();
        let counts = |nominated: &&Nominated| {
            let is_another = Some(nominated.facts.id.uid.as_str()) != pod.metadata.uid.as_deref();
            is_another && nominated.facts.priority >= priority
        };
        let mut all: Vec<&Nominated> = self.0.get(node)?.iter().filter(counts).collect();
        all.sort_by_key(|nominated| Reverse(nominated.facts.priority));
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
