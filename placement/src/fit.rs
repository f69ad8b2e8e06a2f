//! What keeps a pod off a node that can be told without a search.

use crate::amount::Amount;
use crate::kinds::Kind;
use crate::node::{Device, Node, State};
use crate::refusal::{Obstacle, Refusal};
use crate::request::{ContainerRequest, MemoryKind, PodRequest, Topology};
use crate::site::Site;

/// Whether each container would find devices if it were the only one.
pub(crate) fn alone(site: &Site<'_>, request: &PodRequest, kinds: &[Kind<'_>]) -> Result<(), Refusal> {
    let node = site.node;
    if node.devices.is_empty() {
        return Err(Refusal::NoDevices);
    }
    let is_other_kind = match request.memory_kind {
        MemoryKind::Any => false,
        MemoryKind::Physical => node.is_memory_virtual,
        MemoryKind::Virtual => !node.is_memory_virtual,
    };
    if is_other_kind {
        return Err(Refusal::MemoryKind(request.memory_kind));
    }
    kinds.iter().try_for_each(|kind| container_alone(site, request.topology, kind.first))
}

/// Whether the containers that run at the same time want no more together than is left of all devices together. This spares most
/// searches that would end in vain.
pub(crate) fn together(node: &Node, kinds: &[Kind<'_>]) -> Result<(), Refusal> {
    let usable = || node.devices.iter().filter(|device| device.state == State::Usable);
    let mut left = Amount::default();
    for Device { capacity, used, .. } in usable() {
        left.slots = left.slots.saturating_add(capacity.slots.saturating_sub(used.slots));
        left.memory = left.memory.saturating_add(capacity.memory.saturating_sub(used.memory));
        left.cores = left.cores.saturating_add(capacity.cores.saturating_sub(used.cores));
    }
    let mut wanted = Amount::default();
    for Kind { first, lasting } in kinds {
        let needs = usable().map(|device| first.need(device, node));
        let Some(least) = needs.reduce(least) else { continue };
        let of_all = |part: u64| part.saturating_mul(first.count as u64).saturating_mul(*lasting);
        wanted.slots = wanted.slots.saturating_add(of_all(least.slots));
        wanted.memory = wanted.memory.saturating_add(of_all(least.memory));
        wanted.cores = wanted.cores.saturating_add(of_all(least.cores));
    }
    let is_too_much = wanted.slots > left.slots || wanted.memory > left.memory || wanted.cores > left.cores;
    if is_too_much { Err(Refusal::Together) } else { Ok(()) }
}

/// The less of each.
fn least(one: Amount, other: Amount) -> Amount {
    Amount {
        slots: one.slots.min(other.slots),
        memory: one.memory.min(other.memory),
        cores: one.cores.min(other.cores),
        is_exclusive: one.is_exclusive && other.is_exclusive,
    }
}

fn container_alone(site: &Site<'_>, topology: Topology, container: &ContainerRequest) -> Result<(), Refusal> {
    let devices = 0..site.node.devices.len();
    let obstacle = |device| site.need(container, device, Amount::default()).err();
    // On most nodes of a full cluster this is the end of the question, so each device is looked at once.
    let mut in_the_way = [0; Obstacle::ALL.len()];
    devices.clone().filter_map(obstacle).for_each(|obstacle| in_the_way[obstacle as usize] += 1);
    let count = devices.len() - in_the_way.iter().sum::<usize>();
    if count < container.count {
        let obstacles = Obstacle::ALL.into_iter().zip(in_the_way).filter(|(_, count)| *count > 0).collect();
        let name = container.name.clone();
        return Err(Refusal::Container { name, wanted: container.count, fitting: count, obstacles });
    }
    let fitting = || devices.clone().filter(|device| obstacle(*device).is_none());
    let is_near = match topology {
        Topology::Numa { is_strict: true } => is_at_one_numa_node(site.node, fitting(), container.count),
        Topology::Link { is_strict: true } => {
            let fitting: Vec<usize> = fitting().collect();
            fitting.iter().any(|first| site.node.links.meshed_with(*first, &fitting) >= container.count)
        }
        _ => true,
    };
    let name = || container.name.clone();
    if is_near { Ok(()) } else { Err(Refusal::Topology { name: name(), topology }) }
}

/// Whether `count` of `devices` are at the same NUMA node.
fn is_at_one_numa_node(node: &Node, devices: impl Iterator<Item = usize> + Clone, count: usize) -> bool {
    let numa = move |device: usize| node.devices[device].numa;
    let beside = |place| devices.clone().filter(|device| numa(*device) == Some(place)).take(count).count();
    devices.clone().filter_map(numa).any(|place| beside(place) >= count)
}
