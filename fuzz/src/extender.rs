//! What kube-scheduler asks the extender: whoever may make pods has written most of it.
//!
//! Promised: what can be read is answered, in the form in which it was asked and of nothing else than was asked; nothing is given out
//! that is not there.

use std::collections::BTreeSet;

use scheduler_ext::extender::bind::Binder;
use scheduler_ext::extender::wire::{BindRequest, FilterAnswer, FilterRequest, Offer, PreemptRequest};
use scheduler_ext::extender::{Extender, Patience};
use scheduler_ext::ledger::SharedLedger;
use scheduler_ext::metrics::Metrics;
use scheduler_ext::watch::Hearing;
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

use crate::cluster::{self, NODES};

/// Requests of one input.
const REQUESTS: usize = 8;

/// Asks what the lines of `input` say, one after the other: a character that chooses the verb, then the request.
pub fn run(input: &[u8]) {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    let extender = extender();
    for line in input.split(|byte| *byte == b'\n').take(REQUESTS) {
        let Some((verb, request)) = line.split_first() else { continue };
        match verb % 4 {
            0 => filter(&extender, request),
            1 => prioritize(&extender, request),
            2 => preempt(&extender, request),
            _ => bind(&extender, request, &runtime),
        }
        check_devices(&extender);
    }
}

fn extender() -> Extender {
    let ledger = SharedLedger::new(cluster::ledger());
    let metrics = Metrics::new(ledger.clone());
    let reader = cluster::reader();
    let binder =
        Binder::new(cluster::client(), reader.clone(), ledger.clone(), metrics.clone(), Box::new(|| true));
    let (hears, patience) = (Box::new(|| Hearing::Clear), Some(Patience::default()));
    Extender { reader, ledger, binder, metrics, hears, patience, avoids_setbacks: true }
}

fn filter(extender: &Extender, text: &[u8]) {
    let Ok(request) = serde_json::from_slice::<FilterRequest<'_>>(text) else { return };
    let offered = request.offer.clone();
    let answer = extender.filter(request);
    assert_eq!(written(&extender.try_out(again(text))), written(&answer), "filter changes nothing");
    if !answer.error.is_empty() {
        assert!(answer.node_names.is_none() && answer.nodes.is_none());
        return;
    }
    assert_eq!(answer.nodes.is_some(), matches!(offered, Offer::Nodes(_)));
    assert_eq!(answer.node_names.is_some(), matches!(offered, Offer::Names(_)));
    let mut told: Vec<String> = fitting(&answer);
    let mut left = offered.names();
    assert!(told.iter().all(|name| left.any(|offered| offered == name)), "in the order of the offer");
    let refused = answer.failed_nodes.0.iter().chain(&answer.failed_and_unresolvable_nodes.0);
    told.extend(refused.map(|(name, reason)| {
        assert!(!reason.is_empty() && reason.lines().count() == 1, "{reason}");
        name.clone().into_owned()
    }));
    told.sort_unstable();
    let mut all: Vec<&str> = offered.names().collect();
    all.sort_unstable();
    assert_eq!(told, all, "each node is told of once");
}

fn again(text: &[u8]) -> FilterRequest<'_> {
    serde_json::from_slice(text).expect("it was read before")
}

fn fitting(answer: &FilterAnswer<'_>) -> Vec<String> {
    let names = answer.node_names.iter().flatten().map(|name| name.clone().into_owned());
    let nodes = answer.nodes.iter().flat_map(|list| &list.items).map(|node| node.name.clone());
    names.chain(nodes).collect()
}

fn prioritize(extender: &Extender, text: &[u8]) {
    let Ok(request) = serde_json::from_slice::<FilterRequest<'_>>(text) else { return };
    let offered: BTreeSet<String> = request.offer.names().map(str::to_owned).collect();
    let scores = extender.prioritize(request);
    written(&scores);
    for score in scores {
        assert!(offered.contains(score.host.as_ref()) && (1..=10).contains(&score.score), "{score:?}");
    }
}

fn preempt(extender: &Extender, text: &[u8]) {
    let Ok(request) = serde_json::from_slice::<PreemptRequest>(text) else { return };
    let (asked, answer) = (request.victims(), extender.preempt(&request));
    written(&answer);
    for (node, victims) in answer.node_name_to_meta_victims {
        let proposed = asked.get(&node).expect("a node that was asked about");
        assert_eq!(victims.num_pdb_violations, proposed.num_pdb_violations);
        let ledger = extender.ledger.read();
        let is_there = |uid: &str| ledger.holdings(&node).any(|holding| holding.uid().as_str() == uid);
        assert!(victims.pods.iter().all(|pod| proposed.pods.contains(pod) || is_there(&pod.uid)));
    }
}

fn bind(extender: &Extender, text: &[u8], runtime: &Runtime) {
    let Ok(request) = serde_json::from_slice::<BindRequest>(text) else { return };
    if let Err(error) = runtime.block_on(extender.bind(&request)) {
        let error = error.to_string();
        assert!(!error.is_empty() && error.lines().count() == 1, "{error}");
    }
}

/// An answer as it is sent.
fn written(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("an answer can be written")
}

/// Nothing is given out that is not there.
fn check_devices(extender: &Extender) {
    let ledger = extender.ledger.read();
    for node in NODES {
        for device in &ledger.view(node).expect("a node that takes pods").devices {
            let (used, there) = (device.used, device.capacity);
            assert!(used.slots <= there.slots && used.memory <= there.memory && used.cores <= there.cores);
            assert!(!used.is_exclusive || used.slots == 1, "{used:?}");
        }
    }
}
