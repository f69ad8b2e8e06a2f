//! Nodes that are like others.

use serde_json::json;

use super::*;
use crate::extender::alike::Alike;
use crate::extender::filter::{Manner, filter};
use crate::extender::prioritize::prioritize;
use scene::{asks, pod};

/// Two nodes that are empty, two that are full in the same way, and two that are half full, each in its own.
const NODES: [&str; 6] = ["empty", "also-empty", "full", "also-full", "half", "other-half"];

fn world() -> World {
    let mut world = World::new();
    NODES.iter().for_each(|node| world.node(node, &[1000, 1000]));
    let devices: [(&str, scene::Devices<'_>); 4] = [
        ("full", &[(0, 1000, 100), (1, 900, 0)]),
        ("also-full", &[(0, 1000, 100), (1, 900, 0)]),
        ("half", &[(0, 700, 0)]),
        ("other-half", &[(1, 700, 0)]),
    ];
    for (node, devices) in devices {
        hold(&mut world, node, &asks(devices.len() as u64, 1, 0), node, devices);
    }
    world
}

#[test]
fn a_node_is_answered_for_as_if_there_were_no_others() {
    let mut world = world();
    let mut nominated = pod("nominated", &asks(1, 900, 0));
    nominated["status"]["nominatedNodeName"] = json!("also-empty");
    world.pod(&nominated);
    let uuid = scene::uuid(1).to_string();
    let selections = [
        json!({}),
        json!({"nvidia.com/include-gpu-uuid": uuid}),
        json!({"nvidia.com/exclude-gpu-uuid": uuid}),
    ];
    for (annotations, limits) in selections.iter().flat_map(|selection| {
        [asks(1, 100, 0), asks(1, 400, 0), asks(2, 200, 0), asks(2, 1000, 0), asks(1, 0, 0)]
            .map(|limits| (selection, limits))
    }) {
        let mut pod = pod("p", &limits);
        pod["metadata"]["annotations"] = annotations.clone();
        let fits = |nodes: &[&str]| {
            let answer = filter(&world.ledger, &parsed(&pod), &ask(&pod), names(nodes), Manner::default());
            answer.node_names.unwrap().into_iter().map(Cow::into_owned).collect::<Vec<_>>()
        };
        let alone: Vec<String> = NODES.iter().flat_map(|node| fits(&[node])).collect();
        assert_eq!(fits(&NODES), alone, "{pod}");
    }
}

#[test]
fn nodes_that_are_alike_are_as_good() {
    let world = world();
    let mut pod = pod("p", &asks(1, 100, 0));
    pod["metadata"]["annotations"] = json!({"nvidia.com/node-scheduler-policy": "binpack"});
    let scores = prioritize(&world.ledger, &ask(&pod), names(&NODES));
    let scores: Vec<(&str, i64)> = scores.iter().map(|priority| (&*priority.host, priority.score)).collect();
    assert_eq!(scores, [("full", 10), ("also-full", 10), ("half", 2), ("other-half", 2)]);
}

#[test]
fn of_nodes_that_are_alike_one_is_looked_at() {
    let world = world();
    let looks = |pod: &Value| {
        let mut alike = Alike::new(&ask(pod));
        let mut looks = Vec::new();
        for node in NODES {
            alike.of(world.ledger.likeness(node), || looks.push(node));
        }
        looks
    };
    let mut pod = pod("p", &asks(1, 100, 0));
    assert_eq!(looks(&pod), ["empty", "full", "half", "other-half"]);
    pod["metadata"]["annotations"] = json!({"nvidia.com/include-gpu-uuid": "GPU-01"});
    assert_eq!(looks(&pod), NODES);
}
