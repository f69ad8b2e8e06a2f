//! The questions, each to a ledger of a few nodes.

mod filter;
mod preempt;
mod prioritize;

use serde_json::Value;

use super::wire::{FilterRequest, Offer};
use crate::api::Pod;
use crate::ledger::tests::scene::{self, World};
use crate::request::Ask;

fn parsed(pod: &Value) -> Pod {
    serde_json::from_value(pod.clone()).unwrap()
}

fn ask(pod: &Value) -> Ask {
    scene::reader().read(&parsed(pod)).unwrap().unwrap()
}

fn names(names: &[&str]) -> Offer {
    Offer::Names(names.iter().copied().map(str::to_owned).collect())
}

/// Has a pod hold devices of a node.
fn hold(world: &mut World, uid: &str, limits: &Value, node: &str, devices: scene::Devices<'_>) {
    world.pod(&scene::bound(uid, limits, &scene::claim(uid, node, devices), "Running"));
}

/// What kube-scheduler sends without `nodeCacheCapable`.
fn whole(pod: &Value, nodes: &[Value]) -> FilterRequest {
    let request =
        serde_json::json!({"Pod": pod, "Nodes": {"metadata": {}, "items": nodes}, "NodeNames": null});
    serde_json::from_value(request).unwrap()
}
