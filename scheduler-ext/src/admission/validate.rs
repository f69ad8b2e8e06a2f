//! Which pods are refused, and of what is warned.

use serde_json::Value;

use super::{Malformed, Rules, Sent, outlook};
use crate::request::{Ask, AskError};

/// What is said of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why it is refused, where it is.
    pub refusal: Option<Refusal>,
    /// What whoever asked is told besides.
    pub warnings: Vec<String>,
}

/// Why something is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody can have it.
    #[error("{0}")]
    Ask(#[from] AskError),
    /// It has or changes a claim.
    #[error(
        "annotation {key} is the claim that a scheduler gives to a pod: only {writers} may write it; leave it out"
    )]
    Claim {
        /// The annotation.
        key: String,
        /// Who may.
        writers: String,
    },
}

/// What is said of a pod that is to be made.
///
/// # Errors
/// It is no pod.
pub fn pod(rules: &Rules, pod: &Value) -> Result<Verdict, Malformed> {
    let sent = Sent::read(pod)?;
    Ok(match rules.reader.read(&sent.pod) {
        Ok(None) => Verdict::default(),
        _ if sent.is_mirror() => {
            let warning = "a static pod gets no slice: no scheduler can give it one".to_owned();
            Verdict { refusal: None, warnings: vec![warning] }
        }
        Ok(Some(ask)) => Verdict { refusal: None, warnings: warnings(rules, &sent, &ask) },
        Err(error) => Verdict { refusal: Some(error.into()), warnings: Vec::new() },
    })
}

/// What is to be known of a pod that asks for slices and can have them.
pub(super) fn warnings(rules: &Rules, sent: &Sent<'_>, ask: &Ask) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(ledger) = &rules.ledger {
        let ledger = ledger.read();
        let nodes: Vec<_> = ledger.nodes().filter_map(|node| node.devices.ok()).collect();
        warnings = outlook::warnings(&ask.request.containers, &nodes);
    }
    if let Some(other) = sent.scheduler().filter(|name| *name != rules.scheduler_name) {
        let ours = &rules.scheduler_name;
        warnings.push(format!("schedulerName is {other}: only {ours} gives out slices, leave it out"));
    }
    for name in privileged(rules, sent) {
        warnings.push(format!(
            "container {name} is privileged: it can leave its slice and reach every GPU of the node"
        ));
    }
    warnings
}

/// Containers with slices that nothing holds in them.
fn privileged<'a>(rules: &Rules, sent: &'a Sent<'_>) -> impl Iterator<Item = &'a str> {
    let spec = &sent.pod.spec;
    let all = [("initContainers", &spec.init_containers), ("containers", &spec.containers)];
    let number = rules.reader.names.number.clone();
    let raw = &sent.value["spec"];
    all.into_iter()
        .flat_map(move |(list, read)| read.iter().enumerate().map(move |(place, of)| (&raw[list][place], of)))
        .filter(move |(raw, of)| {
            let asks = of.resources.amount(&number).is_some_and(|amount| amount != "0");
            asks && raw["securityContext"]["privileged"] == true
        })
        .map(|(_, of)| of.name.as_str())
}

/// Whether `user` may leave an object (a pod, or a Binding, whose annotations become the pod's) with these annotations after
/// those: the same rule as the chart's policy on claims, for clusters without such policies.
#[must_use]
pub fn claim(rules: &Rules, user: &str, before: &Value, after: &Value) -> Option<Refusal> {
    let writers = &rules.claim_writers;
    if writers.is_empty() || writers.iter().any(|writer| writer == user) {
        return None;
    }
    let key = rules.reader.domain.claim();
    let of = |object: &Value| object["metadata"]["annotations"][&key].as_str().unwrap_or_default().to_owned();
    (of(before) != of(after)).then(|| Refusal::Claim { key, writers: writers.join(", ") })
}
