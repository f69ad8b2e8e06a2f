//! What no node of the cluster has, whoever may leave it: told when a pod is made, and not refused, since a node that has it may come.

use placement::{ContainerRequest, Memory, Node};

/// What is told of these containers, where these nodes take pods. Of none: nothing, since then nothing is known.
pub(super) fn warnings(containers: &[ContainerRequest], nodes: &[&Node]) -> Vec<String> {
    let most = nodes.iter().map(|node| node.devices.len()).max().unwrap_or(usize::MAX);
    let told = containers.iter().filter_map(|container| {
        let (name, count) = (&container.name, container.count);
        if count > most {
            return Some(format!("container {name}: no node has {count} GPUs now, the most is {most}"));
        }
        let (room, need) = too_small(container, nodes)?;
        Some(format!("container {name}: no GPU has {need} MiB now, the most is {room}"))
    });
    told.map(|told| format!("{told}; the pod waits until there is one")).collect()
}

/// The memory of the largest GPU and what the container needs there, in MiB, if that is more, and on every node.
fn too_small(container: &ContainerRequest, nodes: &[&Node]) -> Option<(u64, u64)> {
    let Memory::Units(units) = container.memory else { return None };
    let rooms = nodes.iter().filter_map(|node| {
        let room = node.devices.iter().map(|device| device.capacity.memory).max()?;
        Some((room, units.saturating_mul(node.memory_factor)))
    });
    rooms.clone().all(|(room, need)| need > room).then(|| rooms.max()).flatten()
}

#[cfg(test)]
mod tests {
    use placement::{Amount, Cores, Device, Links, Role, State};

    use super::*;

    fn node(devices: usize, memory: u64, memory_factor: u64) -> Node {
        let capacity = Amount { slots: 10, memory, cores: 100, is_exclusive: false };
        let device = |place: usize| Device {
            uuid: format!("GPU-{place}"),
            model: "H100".to_owned(),
            capacity,
            used: capacity,
            numa: None,
            state: State::Usable,
        };
        let devices: Vec<Device> = (0..devices).map(device).collect();
        Node { devices, links: Links::default(), memory_factor, is_memory_virtual: false }
    }

    fn told(count: usize, memory: Memory, nodes: &[Node]) -> Vec<String> {
        let container = ContainerRequest {
            name: "c".to_owned(),
            role: Role::App,
            count,
            memory,
            cores: Cores::Unlimited,
        };
        warnings(&[container], &nodes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_no_node_has_is_told_with_the_most_that_one_has() {
        let nodes = [node(1, 81_559, 1), node(4, 24_576, 10)];
        for (count, memory) in [(4, Memory::Whole), (1, Memory::Units(81_559)), (2, Memory::Percent(100))] {
            assert_eq!(told(count, memory, &nodes), Vec::<String>::new());
        }
        let of = |told: &str| [format!("container c: {told}; the pod waits until there is one")];
        assert_eq!(told(5, Memory::Whole, &nodes), of("no node has 5 GPUs now, the most is 4"));
        let small = "no GPU has 90000 MiB now, the most is 81559";
        assert_eq!(told(1, Memory::Units(90_000), &nodes), of(small));
        let by_ten = "no GPU has 30000 MiB now, the most is 24576";
        assert_eq!(told(1, Memory::Units(3_000), &nodes[1..]), of(by_ten));
    }

    #[test]
    fn of_a_cluster_whose_nodes_are_not_known_nothing_is_told() {
        assert_eq!(told(9, Memory::Units(1 << 24), &[]), Vec::<String>::new());
    }
}
