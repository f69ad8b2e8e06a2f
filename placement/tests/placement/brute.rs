//! Tries every way to place a pod.

use placement::{Amount, Node, PodRequest, Role, State};

/// Whether any choice of devices for all containers keeps within each device at each moment of the pod's life.
pub(crate) fn can_place(node: &Node, request: &PodRequest) -> bool {
    complete(node, request, &mut Vec::new())
}

fn complete(node: &Node, request: &PodRequest, chosen: &mut Vec<u32>) -> bool {
    let Some(container) = request.containers.get(chosen.len()) else { return is_kept(node, request, chosen) };
    let sets = (0..1_u32 << node.devices.len()).filter(|set| set.count_ones() as usize == container.count);
    for set in sets {
        chosen.push(set);
        if complete(node, request, chosen) {
            return true;
        }
        chosen.pop();
    }
    false
}

/// Goes through the moments: each init container with the sidecars before it, and then all others.
fn is_kept(node: &Node, request: &PodRequest, chosen: &[u32]) -> bool {
    let roles: Vec<Role> = request.containers.iter().map(|container| container.role).collect();
    let inits = (0..roles.len()).filter(|place| roles[*place] == Role::Init);
    let beside =
        |init: usize| (0..init).filter(|place| roles[*place] == Role::Sidecar).chain([init]).collect();
    let mut moments: Vec<Vec<usize>> = inits.map(beside).collect();
    moments.push((0..roles.len()).filter(|place| roles[*place] != Role::Init).collect());
    moments.iter().all(|running| {
        (0..node.devices.len()).all(|device| is_within(node, request, chosen, running, device))
    })
}

fn is_within(node: &Node, request: &PodRequest, chosen: &[u32], running: &[usize], device: usize) -> bool {
    let there = &node.devices[device];
    let own: Vec<Amount> = running
        .iter()
        .filter(|container| chosen[**container] & (1 << device) != 0)
        .map(|container| request.containers[*container].need(there, node))
        .collect();
    let all = own.iter().fold(there.used, |sum, amount| sum.plus(*amount));
    let alone =
        own.iter().filter(|amount| amount.is_exclusive).count() + usize::from(there.used.is_exclusive);
    own.is_empty()
        || (there.state == State::Usable
            && all.slots <= there.capacity.slots
            && all.memory <= there.capacity.memory
            && (all.cores <= there.capacity.cores || own.iter().all(|amount| amount.cores == 0))
            && (alone == 0 || all.slots == 1))
}
