//! A pod that is made with a node's name never meets a scheduler, and so nobody gives it a claim. It asks for that node instead.

use json_patch::PatchOperation;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::edit::{add, remove};
use super::{Malformed, Refusal};
use crate::api::or_null;

/// The longest name of a node.
const NAME: usize = 253;

/// How many terms the node is added to at the most. Nobody writes so many.
const TERMS: usize = 64;

const PATH: [&str; 5] = [
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
];

/// What a pod wants of nodes, as far as it has to be known to add to it: what there is, and what there is not.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Wanting {
    #[serde(deserialize_with = "or_null")]
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    affinity: Option<Affinity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Affinity {
    node_affinity: Option<NodeAffinity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeAffinity {
    required_during_scheduling_ignored_during_execution: Option<Selector>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Selector {
    #[serde(default, deserialize_with = "or_null")]
    node_selector_terms: Vec<Term>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Term {
    match_expressions: Option<Vec<IgnoredAny>>,
    match_fields: Option<Vec<IgnoredAny>>,
}

impl Term {
    /// Whether it can hold: an empty one never does, and is to stay so.
    fn selects(&self) -> bool {
        let parts = [&self.match_expressions, &self.match_fields];
        parts.into_iter().flatten().any(|part| !part.is_empty())
    }
}

/// Takes the node's name out of `pod` and wants `node` by affinity, besides what it wants already.
pub(super) fn pin(pod: &str, node: &str) -> Result<Result<Vec<PatchOperation>, Refusal>, Malformed> {
    if node.len() > NAME {
        return Ok(Err(Refusal::LongName { length: node.len(), most: NAME }));
    }
    let wanting: Wanting = serde_json::from_str(pod).map_err(Malformed)?;
    let affinity = wanting.spec.affinity.as_ref();
    let of_nodes = affinity.and_then(|of| of.node_affinity.as_ref());
    let required = of_nodes.and_then(|of| of.required_during_scheduling_ignored_during_execution.as_ref());
    let here = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    let terms = required.map_or(&[][..], |of| &of.node_selector_terms);
    if terms.len() > TERMS {
        return Ok(Err(Refusal::ManyTerms { count: terms.len(), most: TERMS }));
    }
    let mut operations = vec![remove(&["spec", "nodeName"])];
    if terms.is_empty() {
        let there = [affinity.is_some(), of_nodes.is_some(), required.is_some()];
        operations.push(first(there.iter().filter(|is| **is).count(), &here));
    }
    // One of them has to hold.
    let all = terms.iter().enumerate().filter(|(_, term)| term.selects());
    operations.extend(all.map(|(place, term)| besides(place, term, &here)));
    Ok(Ok(operations))
}

/// The only term, where so many objects are there of those that lead to it.
fn first(there: usize, here: &Value) -> PatchOperation {
    let (path, missing) = PATH.split_at(there + 2);
    let terms = json!([{"matchFields": [here]}]);
    add(path, missing.iter().rev().fold(terms, |inner, key| json!({ *key: inner })))
}

fn besides(place: usize, term: &Term, here: &Value) -> PatchOperation {
    let place = place.to_string();
    let mut path = [&PATH[..], &[place.as_str(), "matchFields"]].concat();
    if term.match_fields.is_none() {
        return add(&path, json!([here]));
    }
    path.push("-");
    add(&path, here.clone())
}
