//! Whether a pod fits on a node, for the many nodes that a scheduler asks about.

use crate::amount::Amount;
use crate::effort::Effort;
use crate::node::{Device, Node, State};
use crate::peak::Role;
use crate::place::place;
use crate::refusal::{Obstacle, Refusal};
use crate::request::{ContainerRequest, MemoryKind, PodRequest, Topology};

/// Whether all containers of the pod find devices here: exactly when [`place`] finds them with the same effort.
///
/// # Errors
/// Why not.
pub fn fits(node: &Node, request: &PodRequest, effort: &mut Effort) -> Result<(), Refusal> {
    match request.containers.as_slice() {
        [] | [_] => alone(node, request),
        _ => place(node, request, effort).map(drop),
    }
}

/// Whether each container would find devices if it were the only one.
pub(crate) fn alone(node: &Node, request: &PodRequest) -> Result<(), Refusal> {
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
    request.containers.iter().try_for_each(|container| container_alone(node, request, container))
}

/// Whether the containers that run at the same time want no more together than is left of all devices together. This spares most
/// searches that would end in vain.
pub(crate) fn together(node: &Node, request: &PodRequest) -> Result<(), Refusal> {
    let usable = || node.devices.iter().filter(|device| device.state == State::Usable);
    let mut left = Amount::default();
    for Device { capacity, used, .. } in usable() {
        left.slots = left.slots.saturating_add(capacity.slots.saturating_sub(used.slots));
        left.memory = left.memory.saturating_add(capacity.memory.saturating_sub(used.memory));
        left.cores = left.cores.saturating_add(capacity.cores.saturating_sub(used.cores));
    }
    let mut wanted = Amount::default();
    for container in request.containers.iter().filter(|container| container.role != Role::Init) {
        let needs = usable().map(|device| container.need(device, node));
        let Some(least) = needs.reduce(least) else { continue };
        let of_all = |part: u64| part.saturating_mul(container.count as u64);
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

fn container_alone(node: &Node, request: &PodRequest, container: &ContainerRequest) -> Result<(), Refusal> {
    let need = |device| request.need(container, node, device, Amount::default());
    let fitting = || (0..node.devices.len()).filter(|device| need(&node.devices[*device]).is_ok());
    // On most nodes of a full cluster this is the end of the question, so each device is looked at once.
    let mut in_the_way = [0; Obstacle::ALL.len()];
    let refusing = node.devices.iter().filter_map(|device| need(device).err());
    refusing.for_each(|obstacle| in_the_way[obstacle as usize] += 1);
    let count = node.devices.len() - in_the_way.iter().sum::<usize>();
    if count < container.count {
        let obstacles = Obstacle::ALL.into_iter().zip(in_the_way).filter(|(_, count)| *count > 0).collect();
        let name = container.name.clone();
        return Err(Refusal::Container { name, wanted: container.count, fitting: count, obstacles });
    }
    let is_near = match request.topology {
        Topology::Numa { is_strict: true } => {
            let numa = |device: usize| node.devices[device].numa;
            let beside = |place| fitting().filter(|device| numa(*device) == Some(place)).count();
            fitting().filter_map(numa).any(|place| beside(place) >= container.count)
        }
        Topology::Link { is_strict: true } => {
            let fitting: Vec<usize> = fitting().collect();
            fitting.iter().any(|first| node.links.meshed_with(*first, &fitting) >= container.count)
        }
        _ => true,
    };
    let name = || container.name.clone();
    if is_near { Ok(()) } else { Err(Refusal::Topology { name: name(), topology: request.topology }) }
}
