//! What is freed for a pod is not given to others.

use placement::Question;
use serde_json::{Value, json};

use super::super::*;
use super::scene::{self, World, asks};
use crate::api::Pod;
use crate::request::Ask;

fn pod(uid: &str, priority: i32) -> Value {
    let mut pod = scene::pod(uid, &asks(1, 600, 0));
    pod["spec"]["priority"] = json!(priority);
    pod
}

fn nominated(uid: &str, priority: i32) -> Value {
    let mut pod = pod(uid, priority);
    pod["status"]["nominatedNodeName"] = json!("n");
    pod
}

/// Whether such a pod finds room on `n`, in which there is room for one.
fn finds_room(world: &World, pod: &Value) -> bool {
    let pod: Pod = serde_json::from_value(pod.clone()).unwrap();
    let ask: Ask = scene::reader().read(&pod).unwrap().unwrap();
    let mut effort = Effort::default();
    let devices = world.ledger.view("n").unwrap();
    let facts = PodFacts::of(&pod);
    let with_others = world.ledger.view_for("n", devices, facts.as_ref(), &mut effort);
    Question::new(&ask.request).fits(with_others.as_ref().unwrap_or(devices), &mut effort).is_ok()
}

#[test]
fn what_others_went_for_is_kept_for_whom_they_went() {
    let mut world = World::new();
    world.node("n", &[1000]);
    assert!(finds_room(&world, &pod("q", 0)));
    world.pod(&nominated("p", 100));
    assert!(!finds_room(&world, &pod("q", 0)) && !finds_room(&world, &pod("q", 100)));
    assert!(finds_room(&world, &pod("q", 101)), "who is more important comes first");
    assert!(finds_room(&world, &nominated("p", 100)), "it is kept for this one");
    // It is to come nowhere any more, or is there, or gone.
    world.pod(&pod("p", 100));
    assert!(finds_room(&world, &pod("q", 0)));
    world.pod(&nominated("p", 100));
    world.gone("p");
    assert!(finds_room(&world, &pod("q", 0)));
    world.pod(&nominated("p", 100));
    let claim = scene::claim("p", "n", &[(0, 300, 0)]);
    world.pod(&scene::bound("p", &asks(1, 300, 0), &claim, "Running"));
    assert!(finds_room(&world, &pod("q", 0)));
}

#[test]
fn of_two_that_are_as_important_the_older_one_goes_first() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let made = |uid: &str, created: &str| {
        let mut pod = nominated(uid, 100);
        pod["metadata"]["creationTimestamp"] = json!(created);
        pod
    };
    let (younger, older) = (made("a", "2026-01-02T00:00:00Z"), made("b", "2026-01-01T00:00:00Z"));
    let as_old = made("c", "2026-01-01T00:00:00Z");
    let all = [&younger, &older, &as_old];
    all.iter().for_each(|pod| world.pod(pod));
    assert_eq!(all.map(|pod| finds_room(&world, pod)), [false, true, false]);
    world.gone("b");
    assert_eq!(all.map(|pod| finds_room(&world, pod)), [false, false, true]);
}

#[test]
fn who_is_on_its_way_out_comes_no_more() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.pod(&nominated("p", 100));
    let mut leaving = nominated("p", 100);
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    world.pod(&leaving);
    assert!(finds_room(&world, &pod("q", 0)));
}

#[test]
fn who_is_being_bound_is_counted_once() {
    let mut world = World::new();
    world.node("n", &[1300]);
    world.pod(&nominated("p", 100));
    world.assume("p", "n", &asks(1, 600, 0)).unwrap();
    world.pod(&nominated("p", 100));
    assert!(finds_room(&world, &pod("q", 0)));
    // Bound it was not: it is still to come.
    world.node("n", &[1000]);
    world.ledger.release(&"p".parse().unwrap());
    assert!(!finds_room(&world, &pod("q", 0)));
}

#[test]
fn a_bind_leaves_the_devices_of_whom_others_went_for() {
    let mut world = World::new();
    world.node("n", &[1000, 500]);
    world.pod(&nominated("p", 100));
    let claim = world.assume("q", "n", &asks(1, 500, 0)).unwrap().claim;
    assert_eq!(claim.containers().values().flatten().next().unwrap().uuid, scene::uuid(1));
    assert!(world.assume("r", "n", &asks(1, 500, 0)).is_err());
}
