//! Whether a pod fits on a node, for the many nodes that a scheduler asks about.

use std::collections::BTreeMap;

use crate::amount::Amount;
use crate::effort::Effort;
use crate::node::{Node, State};
use crate::peak::Role;
use crate::place::place;
use crate::refusal::Refusal;
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
    let lasting = || request.containers.iter().filter(|container| container.role != Role::Init);
    let exceeds = |part: fn(&Amount) -> u64| {
        let left = usable().map(|device| part(&device.capacity).saturating_sub(part(&device.used)));
        let wanted = lasting().map(|container| {
            let least = usable().map(|device| part(&container.need(device, node))).min();
            least.unwrap_or(0).saturating_mul(container.count as u64)
        });
        wanted.fold(0, u64::saturating_add) > left.fold(0, u64::saturating_add)
    };
    let is_too_much =
        exceeds(|amount| amount.slots) || exceeds(|amount| amount.memory) || exceeds(|amount| amount.cores);
    if is_too_much { Err(Refusal::Together) } else { Ok(()) }
}

fn container_alone(node: &Node, request: &PodRequest, container: &ContainerRequest) -> Result<(), Refusal> {
    let need = |device| request.need(container, node, device, Amount::default());
    let fitting = || (0..node.devices.len()).filter(|device| need(&node.devices[*device]).is_ok());
    let count = fitting().count();
    if count < container.count {
        let mut obstacles = BTreeMap::new();
        for obstacle in node.devices.iter().filter_map(|device| need(device).err()) {
            *obstacles.entry(obstacle).or_default() += 1;
        }
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
