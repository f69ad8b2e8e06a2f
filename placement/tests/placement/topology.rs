//! How the devices of one container lie to each other.

use placement::{Device, Link, Links, Node, PodRequest, Policy, Topology};
use proptest::prelude::*;

use crate::scene::{amount, app, device, devices, fits, node, place, used};

fn wants(count: usize, topology: Topology) -> PodRequest {
    PodRequest { topology, ..app(count, 600, 0) }
}

/// One that has no room.
fn full(index: usize) -> Device {
    Device { used: amount(1, 900, 0), ..device(index) }
}

fn on_numa(places: &[Option<u32>]) -> Node {
    node(places.iter().enumerate().map(|(index, numa)| Device { numa: *numa, ..device(index) }).collect())
}

#[test]
fn one_numa_node_is_better_than_two() {
    let node = on_numa(&[Some(0), Some(1), None, Some(1)]);
    for is_strict in [false, true] {
        assert_eq!(devices(&node, &wants(2, Topology::Numa { is_strict })), [[1, 3]]);
    }
    assert_eq!(devices(&node, &wants(3, Topology::Numa { is_strict: false })), [[0, 1, 3]]);
    let refusal = fits(&node, &wants(3, Topology::Numa { is_strict: true })).unwrap_err();
    assert_eq!(refusal.phrase(), "NUMA topology unsatisfied");
}

/// Two groups of three, each connected by `NVLinks`, and switches between them.
fn two_groups() -> Node {
    let mut links = Links::unknown(6);
    for (one, other) in (0..6).flat_map(|one| (0..one).map(move |other| (one, other))) {
        links.connect(one, other, if one / 3 == other / 3 { Link::NvLink(4) } else { Link::Switches });
    }
    Node { links, ..node((0..6).map(device).collect()) }
}

#[test]
fn what_is_connected_by_nvlinks_stays_together() {
    let mut node = two_groups();
    node.devices[1] = full(1);
    for is_strict in [false, true] {
        assert_eq!(devices(&node, &wants(3, Topology::Link { is_strict })), [[3, 4, 5]]);
    }
    assert_eq!(devices(&node, &wants(4, Topology::Link { is_strict: false })), [[0, 3, 4, 5]]);
    let refusal = fits(&node, &wants(4, Topology::Link { is_strict: true })).unwrap_err();
    assert_eq!(refusal.to_string(), "container main: Link topology unsatisfied");
}

#[test]
fn of_sets_that_are_as_near_the_policy_chooses() {
    let mut node = two_groups();
    node.devices[3].used = amount(1, 100, 0);
    let request = wants(1, Topology::Link { is_strict: false });
    assert_eq!(devices(&node, &PodRequest { policy: Policy::Binpack, ..request.clone() }), [[3]]);
    assert_eq!(devices(&node, &PodRequest { policy: Policy::Spread, ..request }), [[0]]);
}

#[test]
fn a_node_of_many_devices_is_not_searched_for_ever() {
    let mut links = Links::unknown(64);
    (0..63).for_each(|one| links.connect(one, one + 1, Link::NvLink(1)));
    let node = Node { links, ..node((0..64).map(device).collect()) };
    let chosen = devices(&node, &wants(32, Topology::Link { is_strict: true }));
    assert_eq!(chosen[0], (0..32).collect::<Vec<_>>());
    assert!(place(&used(&[amount(0, 0, 0); 64]), &wants(32, Topology::Any)).is_ok());
}

proptest! {
    #[test]
    fn strict_modes_hold_and_the_filter_agrees_with_the_choice(
        places in prop::collection::vec((prop::option::of(0_u32..3), any::<bool>()), 1..6),
        pairs in prop::collection::vec((0_usize..6, 0_usize..6), 0..8),
        count in 1_usize..4,
        numa in any::<bool>(),
        is_strict in any::<bool>(),
    ) {
        let devices: Vec<Device> = places.iter().enumerate().map(|(index, (numa, is_full))| {
            Device { numa: *numa, ..if *is_full { full(index) } else { device(index) } }
        }).collect();
        let mut node = node(devices);
        pairs.iter().for_each(|(one, other)| node.links.connect(*one, *other, Link::NvLink(1)));
        let request = wants(count, if numa { Topology::Numa { is_strict } } else { Topology::Link { is_strict } });
        let placed = place(&node, &request);
        prop_assert_eq!(fits(&node, &request).err(), placed.clone().err());
        let Ok(placement) = placed else { return Ok(()) };
        let chosen: Vec<usize> = placement.containers[0].iter().map(|(device, _)| *device).collect();
        if is_strict && numa {
            let first = node.devices[chosen[0]].numa;
            prop_assert!(first.is_some() && chosen.iter().all(|device| node.devices[*device].numa == first));
        } else if is_strict {
            for part in 1..chosen.len() {
                let (near, far) = chosen.split_at(part);
                let joined = near.iter().any(|one| far.iter().any(|other| node.links.between(*one, *other) != Link::Unknown));
                prop_assert!(joined, "{near:?} and {far:?}");
            }
        }
    }
}
