//! Which pods are refused, and of what is warned.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Malformed, Rules, Sent, outlook};
use crate::api::{Container, or_null};
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
    /// It names a node that cannot be.
    #[error("nodeName has {length} bytes, and names of nodes {most} at the most; leave it out")]
    LongName {
        /// Its length.
        length: usize,
        /// That of names.
        most: usize,
    },
    /// It names a node, and other ones in so many ways.
    #[error(
        "nodeName would be added to {count} terms of the required node affinity, and {most} may be at the most; \
         leave one of the two out"
    )]
    ManyTerms {
        /// How many terms.
        count: usize,
        /// How many may be.
        most: usize,
    },
}

/// What is said of a pod that is to be made, a JSON text.
///
/// # Errors
/// It is no pod.
pub fn pod(rules: &Rules, pod: &str) -> Result<Verdict, Malformed> {
    let sent = Sent::read(pod)?;
    let ask = rules.reader.read(&sent.pod);
    if sent.is_mirror() {
        let warning = "a static pod gets no slice: no scheduler can give it one".to_owned();
        let warnings = if ask == Ok(None) { Vec::new() } else { vec![warning] };
        return Ok(Verdict { refusal: None, warnings });
    }
    let mut warnings = rules.reader.doubts(&sent.pod);
    let refusal = match ask {
        Ok(None) => None,
        Ok(Some(ask)) => {
            warnings.extend(self::warnings(rules, &sent, &ask)?);
            None
        }
        Err(error) => Some(error.into()),
    };
    Ok(Verdict { refusal, warnings })
}

/// What is to be known of a pod that asks for slices and can have them.
pub(super) fn warnings(rules: &Rules, sent: &Sent<'_>, ask: &Ask) -> Result<Vec<String>, Malformed> {
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
    for name in privileged(rules, sent)? {
        warnings.push(format!(
            "container {name} is privileged: it can leave its slice and reach every GPU of the node"
        ));
    }
    Ok(warnings)
}

/// How containers of a pod are held.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Held {
    #[serde(deserialize_with = "or_null")]
    spec: HeldContainers,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HeldContainers {
    #[serde(deserialize_with = "or_null")]
    init_containers: Vec<HeldContainer>,
    #[serde(deserialize_with = "or_null")]
    containers: Vec<HeldContainer>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HeldContainer {
    security_context: Option<SecurityContext>,
}

#[derive(Deserialize)]
struct SecurityContext {
    privileged: Option<bool>,
}

impl HeldContainer {
    fn is_privileged(&self) -> bool {
        self.security_context.as_ref().and_then(|context| context.privileged) == Some(true)
    }
}

/// Containers with slices that nothing holds in them.
fn privileged<'a>(rules: &Rules, sent: &'a Sent<'_>) -> Result<Vec<&'a str>, Malformed> {
    let spec = &sent.pod.spec;
    let held: Held = serde_json::from_str(sent.text).map_err(Malformed)?;
    let number = &rules.reader.names.number;
    let asks = |of: &Container| of.resources.amount(number).is_some_and(|amount| amount != "0");
    let init = spec.init_containers.iter().zip(&held.spec.init_containers);
    let all = init.chain(spec.containers.iter().zip(&held.spec.containers));
    let loose = all.filter(|(of, held)| held.is_privileged() && asks(of));
    Ok(loose.map(|(of, _)| of.name.as_str()).collect())
}

/// An object that can have a claim.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Annotated {
    #[serde(deserialize_with = "or_null")]
    metadata: Annotations,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Annotations {
    #[serde(deserialize_with = "or_null")]
    annotations: BTreeMap<String, String>,
}

/// Whether `user` may leave an object (a pod, or a Binding, whose annotations become the pod's), a JSON text, with these annotations
/// after those: the same rule as the chart's policy on claims, for clusters without such policies.
///
/// # Errors
/// It is no such object.
pub fn claim(
    rules: &Rules,
    user: &str,
    before: Option<&str>,
    after: &str,
) -> Result<Option<Refusal>, Malformed> {
    let writers = &rules.claim_writers;
    if writers.is_empty() || writers.iter().any(|writer| writer == user) {
        return Ok(None);
    }
    let key = rules.reader.domain.claim();
    let of = |object: &str| {
        let object: Annotated = serde_json::from_str(object).map_err(Malformed)?;
        let mut annotations = object.metadata.annotations;
        Ok(annotations.remove(&key).unwrap_or_default())
    };
    let before = before.map(of).transpose()?.unwrap_or_default();
    let is_changed = before != of(after)?;
    Ok(is_changed.then(|| Refusal::Claim { key, writers: writers.join(", ") }))
}
