//! Which nodes and devices a pod had rather, and which it does not take, by its annotations.

use contract::env::Priority;
use contract::limits_page::SharePolicy;
use placement::{MemoryKind, Policy, Selection, Topology};

use super::error::{Fault, PART, PARTS};
use super::words::{MEMORY_KINDS, POLICIES, TOPOLOGIES, Words};
use super::{Reader, hami};
use crate::api::Pod;

/// What the annotations say.
#[derive(Clone, Debug, Default)]
pub(super) struct Policies {
    pub node: Policy,
    pub device: Policy,
    pub topology: Topology,
    pub memory_kind: MemoryKind,
    pub selection: Selection,
}

/// Reads them; what cannot be understood becomes a fault.
pub(super) fn read(pod: &Pod, reader: &Reader, faults: &mut Vec<Fault>) -> Policies {
    let domain = &reader.domain;
    let selection = Selection {
        models: list(pod, &domain.include_model(), faults),
        not_models: list(pod, &domain.exclude_model(), faults),
        uuids: list(pod, &domain.include_uuid(), faults),
        not_uuids: list(pod, &domain.exclude_uuid(), faults),
    };
    let (node, device) = (reader.node_policy, reader.device_policy);
    let mut policies = Policies { node, device, selection, ..Policies::default() };
    hami::read(pod, reader, &mut policies, faults);
    set(&mut policies.node, pod, &domain.node_policy(), POLICIES, faults);
    set(&mut policies.device, pod, &domain.device_policy(), POLICIES, faults);
    set(&mut policies.topology, pod, &domain.topology_mode(), TOPOLOGIES, faults);
    set(&mut policies.memory_kind, pod, &domain.memory_policy(), MEMORY_KINDS, faults);
    check_shares(pod, reader, faults);
    policies
}

/// What the node agent reads of a pod when it has a node already, and would refuse its containers for.
fn check_shares(pod: &Pod, reader: &Reader, faults: &mut Vec<Fault>) {
    let (priority, policy) = (reader.domain.priority(), reader.domain.compute_policy());
    if let Some(text) = pod.annotation(&priority)
        && let Err(fault) = text.parse::<Priority>()
    {
        faults.push(Fault::value(&priority, text, fault));
    }
    if let Some(text) = pod.annotation(&policy)
        && text.parse::<SharePolicy>().is_err()
    {
        faults.push(Fault::annotation(&policy, text, &SharePolicy::ALL.map(SharePolicy::name)));
    }
}

fn set<T: Copy>(to: &mut T, pod: &Pod, key: &str, words: Words<T>, faults: &mut Vec<Fault>) {
    if let Some(chosen) = choice(key, pod.annotation(key).unwrap_or_default(), words, faults) {
        *to = chosen;
    }
}

/// What the word of an annotation means, where there is one.
pub(super) fn choice<T: Copy>(key: &str, text: &str, words: Words<T>, faults: &mut Vec<Fault>) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    let chosen = words.meaning(text);
    chosen.map_err(|known| faults.push(Fault::annotation(key, text, &known))).ok()
}

/// The parts of an annotation between commas; none, and a fault, if there are too many.
pub(super) fn list(pod: &Pod, key: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    let all = pod.annotation(key).unwrap_or_default().split(',').map(str::trim);
    let parts = all.filter(|part| !part.is_empty());
    let count = parts.clone().count();
    if count > PARTS || parts.clone().any(|part| part.len() > PART) {
        faults.push(Fault::long_list(key, count));
        return Vec::new();
    }
    parts.map(str::to_owned).collect()
}
