//! What is freed for a pod is not given to others.

use placement::{Effort, Question};
use serde_json::{Value, json};

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
    let with_others = world.ledger.view_for("n", devices, &pod, &mut effort);
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
