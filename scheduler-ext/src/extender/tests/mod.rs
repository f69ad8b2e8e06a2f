//! The questions, each to a ledger of a few nodes.

mod filter;
mod preempt;
mod prioritize;

use serde_json::Value;

use super::wire::Offer;
use crate::api::Pod;
use crate::ledger::tests::scene::{self, World};
use crate::request::Ask;

fn parsed(pod: &Value) -> Pod {
    serde_json::from_value(pod.clone()).unwrap()
}

fn ask(pod: &Value) -> Ask {
    scene::reader().read(&parsed(pod)).unwrap().unwrap()
}

fn names<'a>(names: &[&'a str]) -> Offer<'a> {
    Offer::Names(names.iter().copied().map(Into::into).collect())
}

/// Has a pod hold devices of a node.
fn hold(world: &mut World, uid: &str, limits: &Value, node: &str, devices: scene::Devices<'_>) {
    world.pod(&scene::bound(uid, limits, &scene::claim(uid, node, devices), "Running"));
}

/// Nodes as kube-scheduler sends them without `nodeCacheCapable`.
fn whole(nodes: &[Value]) -> Offer<'static> {
    Offer::Nodes(serde_json::from_value(serde_json::json!({"metadata": {}, "items": nodes})).unwrap())
}
