//! Which nodes and devices a pod had rather, and which it does not take, by its annotations.

use placement::{MemoryKind, Policy, Selection, Topology};

use super::Reader;
use super::error::Fault;
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

const POLICIES: &[(&str, Policy)] =
    &[("binpack", Policy::Binpack), ("spread", Policy::Spread), ("none", Policy::None)];

const TOPOLOGIES: &[(&str, Topology)] = &[
    ("none", Topology::Any),
    ("numa", Topology::Numa { is_strict: false }),
    ("numa-strict", Topology::Numa { is_strict: true }),
    ("link", Topology::Link { is_strict: false }),
    ("link-strict", Topology::Link { is_strict: true }),
];

const MEMORY_KINDS: &[(&str, MemoryKind)] =
    &[("physical", MemoryKind::Physical), ("virtual", MemoryKind::Virtual), ("none", MemoryKind::Any)];

/// Reads them; what cannot be understood becomes a fault.
pub(super) fn read(pod: &Pod, reader: &Reader, faults: &mut Vec<Fault>) -> Policies {
    let domain = &reader.domain;
    let list = |key: String| {
        let all = pod.annotation(&key).unwrap_or_default().split(',').map(str::trim);
        all.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let selection = Selection {
        models: list(domain.include_model()),
        not_models: list(domain.exclude_model()),
        uuids: list(domain.include_uuid()),
        not_uuids: list(domain.exclude_uuid()),
    };
    let node = choice(pod, &domain.node_policy(), POLICIES, faults).unwrap_or(reader.node_policy);
    let device = choice(pod, &domain.device_policy(), POLICIES, faults).unwrap_or(reader.device_policy);
    let topology = choice(pod, &domain.topology_mode(), TOPOLOGIES, faults).unwrap_or_default();
    let memory_kind = choice(pod, &domain.memory_policy(), MEMORY_KINDS, faults).unwrap_or_default();
    Policies { node, device, topology, memory_kind, selection }
}

/// The word of an annotation, where there is one.
fn choice<T: Copy>(pod: &Pod, key: &str, words: &[(&str, T)], faults: &mut Vec<Fault>) -> Option<T> {
    let text = pod.annotation(key).filter(|text| !text.is_empty())?;
    let found = words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        faults.push(Fault::annotation(key, text, &known));
    }
    found.map(|(_, meaning)| *meaning)
}
