//! What keeps a pod off a node that can be told without a search.

use crate::amount::Amount;
use crate::kinds::Kind;
use crate::needs::{Needs, Room};
use crate::node::{Device, Node, State};
use crate::refusal::{Obstacle, Refusal};
use crate::request::{ContainerRequest, MemoryKind, PodRequest, Topology};
use crate::site::Site;

/// Whether each container would find devices if it were the only one. Writes down what each kind needs of them.
pub(crate) fn alone(
    site: &Site<'_>,
    request: &PodRequest,
    kinds: &[Kind<'_>],
    needs: &mut Needs,
) -> Result<(), Refusal> {
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
    needs.clear(node.devices.len());
    kinds.iter().try_for_each(|kind| container_alone(site, request.topology, kind.first, needs))
}

/// Whether the containers that run at the same time want no more together than is left of all devices together, and those of each
/// kind no more devices than there are for them. This spares most searches that would end in vain.
pub(crate) fn together(room: &Room<'_>, kinds: &[Kind<'_>]) -> Result<(), Refusal> {
    let mut left = Amount::default();
    for device in room.node.devices.iter().filter(|device| device.state == State::Usable) {
        left = left.plus(device.capacity.less(device.used));
    }
    let mut wanted = Amount::default();
    for (place, Kind { first, lasting }) in kinds.iter().enumerate() {
        let needs = room.needs.of(place);
        let Some(least) = needs.iter().copied().flatten().reduce(least) else { continue };
        let devices = lasting.saturating_mul(first.count as u64);
        if *lasting > 1 && devices_for(room.node, needs, *lasting) < devices {
            return Err(Refusal::Together);
        }
        wanted.slots = wanted.slots.saturating_add(least.slots.saturating_mul(devices));
        wanted.memory = wanted.memory.saturating_add(least.memory.saturating_mul(devices));
        wanted.cores = wanted.cores.saturating_add(least.cores.saturating_mul(devices));
    }
    let is_too_much = wanted.slots > left.slots || wanted.memory > left.memory || wanted.cores > left.cores;
    if is_too_much { Err(Refusal::Together) } else { Ok(()) }
}

/// How many devices containers of one kind could have if there were no others, one device counted for each that shares it. So many
/// `containers` there are, and none of them has one twice.
fn devices_for(node: &Node, needs: &[Option<Amount>], containers: u64) -> u64 {
    let of_device = |(device, need): (&Device, &Option<Amount>)| {
        let left = device.capacity.less(device.used);
        need.map_or(0, |need| need.times_in(left).min(containers))
    };
    node.devices.iter().zip(needs).map(of_device).fold(0, u64::saturating_add)
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

fn container_alone(
    site: &Site<'_>,
    topology: Topology,
    container: &ContainerRequest,
    needs: &mut Needs,
) -> Result<(), Refusal> {
    // On most nodes of a full cluster this is the end of the question, so each device is looked at once.
    let mut in_the_way = [0; Obstacle::ALL.len()];
    let needs = needs.add((0..site.node.devices.len()).map(|device| {
        let need = site.need(container, device);
        need.inspect_err(|obstacle| in_the_way[*obstacle as usize] += 1).ok()
    }));
    let count = needs.iter().flatten().count();
    if count < container.count {
        let obstacles = Obstacle::ALL.into_iter().zip(in_the_way).filter(|(_, count)| *count > 0).collect();
        let name = container.name.clone();
        return Err(Refusal::Container { name, wanted: container.count, fitting: count, obstacles });
    }
    let fitting = || (0..needs.len()).filter(|device| needs[*device].is_some());
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
