use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::extender::preempt::preempt;
use crate::extender::wire::{MetaPod, MetaVictims};
use crate::ledger::PodFacts;
use scene::{asks, pod};

/// A pod of a priority that holds so much of the only device of `n`.
fn held(uid: &str, priority: i32, created: &str, memory: u32) -> Value {
    let claim = scene::claim(uid, "n", &[(0, memory, 0)]);
    let mut pod = scene::bound(uid, &asks(1, memory.into(), 0), &claim, "Running");
    pod["spec"]["priority"] = json!(priority);
    pod["metadata"]["creationTimestamp"] = json!(created);
    pod
}

fn world(pods: &[Value]) -> World {
    let mut world = World::new();
    world.node("n", &[1000]);
    pods.iter().for_each(|pod| world.pod(pod));
    world
}

fn victims(uids: &[&str]) -> MetaVictims {
    let pods = uids.iter().map(|uid| MetaPod { uid: (*uid).to_owned() }).collect();
    MetaVictims { pods, num_pdb_violations: 3 }
}

/// Who goes from `n` for a pod of priority 10 that wants so much; `None`: the node is left out.
fn goes(world: &World, memory: u64, asked: &[&str]) -> Option<Vec<String>> {
    let asked = BTreeMap::from([("n".to_owned(), victims(asked))]);
    let mut pod = pod("p", &asks(1, memory, 0));
    pod["spec"]["priority"] = json!(10);
    let facts = PodFacts::of(&parsed(&pod)).unwrap();
    let answer = preempt(&world.ledger, &facts, &ask(&pod), asked);
    let mut nodes = answer.node_name_to_meta_victims;
    let victims = nodes.remove("n")?;
    assert_eq!((victims.num_pdb_violations, nodes.len()), (3, 0));
    Some(victims.pods.into_iter().map(|pod| pod.uid).collect())
}

const OLD: &str = "2026-01-01T00:00:00Z";
const NEW: &str = "2026-06-01T00:00:00Z";

#[test]
fn who_is_enough_is_kept_as_it_is() {
    let world = world(&[held("a", 0, OLD, 500), held("b", 0, OLD, 500)]);
    assert_eq!(goes(&world, 500, &["a"]).unwrap(), ["a"]);
    assert_eq!(goes(&world, 500, &["b", "stranger"]).unwrap(), ["b", "stranger"]);
}

#[test]
fn the_least_important_and_then_the_youngest_go_as_well() {
    let world = world(&[
        held("peer", 10, OLD, 100),
        held("five", 5, OLD, 300),
        held("old", 1, OLD, 300),
        held("new", 1, NEW, 300),
    ]);
    assert_eq!(goes(&world, 300, &[]).unwrap(), ["new"]);
    assert_eq!(goes(&world, 600, &[]).unwrap(), ["new", "old"]);
    assert_eq!(goes(&world, 600, &["five"]).unwrap(), ["five", "new"]);
    assert_eq!(goes(&world, 900, &["old"]).unwrap(), ["old", "new", "five"]);
    // The peer stays.
    assert_eq!(goes(&world, 901, &[]), None);
}

#[test]
fn nobody_goes_in_vain() {
    let held_of = |uid: &str, device: u8, priority: i32, memory: u32| {
        let mut pod = held(uid, priority, OLD, memory);
        let claim = scene::claim(uid, "n", &[(device, memory, 0)]);
        pod["metadata"]["annotations"]["nvidia.com/vgpu-claim"] = json!(claim.encode());
        pod
    };
    let mut world = World::new();
    world.node("n", &[1000, 1000]);
    let small = ["a", "b", "c"].map(|uid| held_of(uid, 1, 0, 100));
    let others = [held_of("large", 0, 1, 900), held_of("important", 1, 100, 700)];
    small.iter().chain(&others).for_each(|pod| world.pod(pod));
    // The small ones go first, and do not help.
    assert_eq!(goes(&world, 1000, &[]).unwrap(), ["large"]);
}

#[test]
fn a_node_that_needs_nobody_to_go_is_left_out() {
    let world = world(&[held("a", 0, OLD, 500)]);
    assert_eq!(goes(&world, 500, &[]), None);
    assert_eq!(goes(&world, 500, &["stranger"]).unwrap(), ["stranger"]);
}

#[test]
fn who_is_on_its_way_out_makes_room_without_being_a_victim() {
    let mut leaving = held("leaving", 50, OLD, 600);
    leaving["metadata"]["deletionTimestamp"] = json!(NEW);
    let world = world(&[leaving, held("a", 0, OLD, 400)]);
    assert_eq!(goes(&world, 600, &[]), None);
    assert_eq!(goes(&world, 700, &[]).unwrap(), ["a"]);
}

#[test]
fn what_others_went_for_is_not_counted_upon() {
    let mut leaving = held("leaving", 0, OLD, 500);
    leaving["metadata"]["deletionTimestamp"] = json!(NEW);
    let mut first = pod("first", &asks(1, 500, 0));
    first["spec"]["priority"] = json!(10);
    first["status"]["nominatedNodeName"] = json!("n");
    let world = world(&[leaving, held("a", 0, OLD, 500), first]);
    assert_eq!(goes(&world, 500, &[]).unwrap(), ["a"]);
    assert_eq!(goes(&world, 500, &["leaving"]).unwrap(), ["leaving", "a"]);
}

#[test]
fn who_is_being_bound_stays() {
    let mut world = world(&[]);
    let theirs = ask(&pod("a", &asks(1, 600, 0)));
    world.ledger.assume(&scene::facts("a"), &theirs, "n").unwrap();
    assert_eq!(goes(&world, 600, &[]), None);
}

#[test]
fn a_node_that_is_closed_by_a_pod_is_open_when_that_pod_goes() {
    let mut broken = held("broken", 0, OLD, 1);
    broken["metadata"]["annotations"] = json!({});
    let mut world = world(&[broken]);
    assert_eq!(goes(&world, 600, &["broken"]).unwrap(), ["broken"]);
    assert_eq!(goes(&world, 600, &[]).unwrap(), ["broken"]);
    world.ledger.forget_node("n");
    assert_eq!(goes(&world, 600, &["broken"]), None);
}
