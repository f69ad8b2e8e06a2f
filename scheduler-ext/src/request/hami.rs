//! What pods say in HAMi's annotations, where its names are chosen.

use contract::annotations::{HAMI_DEVICE_POLICY, HAMI_NODE_POLICY};
use contract::resources::NameStyle;
use placement::{Policy, Topology};

use super::Reader;
use super::error::Fault;
use super::policies::{Policies, choice, list};
use super::words::Words;
use crate::api::Pod;

const NODE_POLICIES: Words<Policy> = Words(&[("binpack", Policy::Binpack), ("spread", Policy::Spread)]);

/// What one word of the devices' policy asks for.
#[derive(Clone, Copy)]
enum Wish {
    Devices(Policy),
    Lie(Topology),
}

const WISHES: Words<Wish> = Words(&[
    ("binpack", Wish::Devices(Policy::Binpack)),
    ("spread", Wish::Devices(Policy::Spread)),
    ("topology-aware", Wish::Lie(Topology::Link { is_strict: false })),
    ("numa", Wish::Lie(Topology::Numa { is_strict: false })),
]);

/// Adds what they say to `policies`. Where ours follow, they have the last word.
pub(super) fn read(pod: &Pod, reader: &Reader, policies: &mut Policies, faults: &mut Vec<Fault>) {
    if reader.style != NameStyle::Hami {
        return;
    }
    let (domain, selection) = (&reader.domain, &mut policies.selection);
    selection.models.extend(list(pod, &domain.hami_include_model(), faults));
    selection.not_models.extend(list(pod, &domain.hami_exclude_model(), faults));
    selection.uuids.extend(list(pod, &domain.hami_include_uuid(), faults));
    selection.not_uuids.extend(list(pod, &domain.hami_exclude_uuid(), faults));
    let node = pod.annotation(HAMI_NODE_POLICY).unwrap_or_default();
    policies.node = choice(HAMI_NODE_POLICY, node, NODE_POLICIES, faults).unwrap_or(policies.node);
    for word in list(pod, HAMI_DEVICE_POLICY, faults) {
        match choice(HAMI_DEVICE_POLICY, &word, WISHES, faults) {
            Some(Wish::Devices(policy)) => policies.device = policy,
            Some(Wish::Lie(topology)) => policies.topology = topology,
            None => {}
        }
    }
}
