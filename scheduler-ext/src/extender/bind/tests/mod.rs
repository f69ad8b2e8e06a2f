//! Binds, against an API server that a test plays. Time is the runtime's: it passes when nobody has anything to do.

mod many;
mod outcomes;
mod server;
mod turns;

use std::collections::HashSet;

use contract::claim::PodUid;
use serde_json::Value;
use server::{Fate, Server};

use super::*;
use crate::api::Pod;
use crate::ledger::Ledger;
use crate::ledger::tests::scene::{self, World, asks};

/// A binder, its ledger and its API server.
struct Scene {
    binder: Binder,
    ledger: SharedLedger,
    server: Server,
}

impl Scene {
    /// With nodes of one GPU of 1000 MiB.
    fn new(nodes: &[&str]) -> Self {
        let mut world = World::new();
        nodes.iter().for_each(|node| world.node(node, &[1000]));
        let (ledger, server) = (SharedLedger::new(world.ledger), Server::default());
        let metrics = Metrics::new(ledger.clone());
        let binder =
            Binder::new(server.client(), scene::reader(), ledger.clone(), metrics, Box::new(|| true));
        Self { binder, ledger, server }
    }

    /// Has the API server have a pod, and filter have seen it.
    fn pod(&self, uid: &str, limits: &Value) {
        let pod = scene::pod(uid, limits);
        self.server.put(&pod);
        self.note(uid);
    }

    fn note(&self, uid: &str) {
        let pod: Pod = serde_json::from_value(self.server.pod(uid).unwrap()).unwrap();
        self.binder.note(Seen::read(&pod, &scene::reader()).unwrap());
    }

    async fn bind(&self, uid: &str, node: &str) -> Result<(), BindError> {
        self.binder.bind(&request(uid, node)).await
    }

    /// Memory of the node's GPU that the ledger has as used.
    fn used(&self, node: &str) -> u64 {
        self.ledger.read().view(node).unwrap().devices[0].used.memory
    }

    /// The ledger as it would be made anew of what the API server has.
    fn recompute(&self, nodes: &[&str]) -> Ledger {
        let mut world = World::new();
        nodes.iter().for_each(|node| world.node(node, &[1000]));
        self.server.pods().iter().for_each(|pod| world.pod(pod));
        world.ledger
    }

    /// That the ledger has exactly what the API server has.
    fn check(&self, nodes: &[&str]) {
        let (anew, ledger) = (self.recompute(nodes), self.ledger.read());
        for node in nodes {
            assert_eq!(ledger.view(node).unwrap(), anew.view(node).unwrap());
            let uids = |ledger: &Ledger| -> HashSet<PodUid> {
                ledger.holdings(node).map(|holding| holding.uid().clone()).collect()
            };
            assert_eq!(uids(&ledger), uids(&anew));
        }
        assert_eq!(self.server.faults(), Vec::<String>::new());
    }
}

fn request(uid: &str, node: &str) -> BindRequest {
    BindRequest {
        pod_name: uid.to_owned(),
        pod_namespace: "team".to_owned(),
        pod_uid: uid.to_owned(),
        node: node.to_owned(),
    }
}
