//! The questions, each to a ledger of a few nodes.

mod alike;
mod filter;
mod patience;
mod preempt;
mod prioritize;

use std::borrow::Cow;

use serde_json::Value;

use super::bind::Binder;
use super::wire::Offer;
use super::{Extender, Patience};
use crate::api::Pod;
use crate::ledger::SharedLedger;
use crate::ledger::tests::scene::{self, World};
use crate::metrics::Metrics;
use crate::request::Ask;
use crate::watch::Hearing;
use crate::watch::tests::server::Server;

/// One that is asked of a part of the nodes, and whose API server is down.
pub(crate) fn extender(world: World, hearing: Hearing) -> Extender {
    let ledger = SharedLedger::new(world.ledger);
    let server = Server::default();
    server.objects().is_down = true;
    let metrics = Metrics::new(ledger.clone());
    let (reader, may_bind) = (scene::reader(), Box::new(|| true));
    let binder = Binder::new(server.client(), reader.clone(), ledger.clone(), metrics.clone(), may_bind);
    let (hears, patience) = (Box::new(move || hearing), Some(Patience::default()));
    Extender { reader, ledger, binder, metrics, hears, patience, avoids_setbacks: true }
}

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
