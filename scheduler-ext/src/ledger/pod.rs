//! What matters of a pod.

use std::fmt;

use contract::Foreign;
use contract::claim::{Claim, PodUid};
use contract::resources::Domain;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::holding::{Holding, State};
use super::nominated::Nominated;
use crate::api::Pod;
use crate::request::Reader;

/// Which pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodId {
    /// Its namespace.
    pub namespace: String,
    /// Its name there.
    pub name: String,
    /// What tells it from others that had or will have this name.
    pub uid: PodUid,
}

impl fmt::Display for PodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Foreign(&self.namespace), Foreign(&self.name))
    }
}

/// What is known of a pod besides what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFacts {
    /// Which it is.
    pub id: PodId,
    /// How much more important it is than others.
    pub priority: i32,
    /// The uid of who makes it anew when it is gone.
    pub controller: Option<String>,
    /// When it was made.
    pub created: Option<Time>,
    /// Whether it is on its way out. It holds what it has until it is gone.
    pub is_leaving: bool,
}

impl PodFacts {
    /// Those of `pod`; `None` for an object without an identity.
    #[must_use]
    pub fn of(pod: &Pod) -> Option<Self> {
        let metadata = &pod.metadata;
        let owners = metadata.owner_references.iter().flatten();
        let mut controllers = owners.filter(|owner| owner.controller == Some(true));
        Some(Self {
            id: PodId {
                namespace: metadata.namespace.clone().unwrap_or_default(),
                name: metadata.name.clone()?,
                uid: metadata.uid.as_deref()?.parse().ok()?,
            },
            priority: pod.spec.priority.unwrap_or_default(),
            controller: controllers.next().map(|owner| owner.uid.clone()),
            created: metadata.creation_timestamp.clone(),
            is_leaving: metadata.deletion_timestamp.is_some(),
        })
    }
}

/// What the API server says of a pod that asks for slices and is bound.
#[derive(Clone, Debug)]
pub enum PodWord {
    /// It holds nothing any more: all of its containers have ended for good.
    Over(PodUid),
    /// It is on a node, with what its claim says, where that can be read.
    Holds(Box<Holding>),
    /// It is to come to a node for which others were preempted.
    Nominated(Box<Nominated>),
    /// It is on no node, and waits for none.
    Waits(PodUid),
}

impl PodWord {
    /// What is said of `pod`. `None`: nothing that matters, as of most pods of a cluster: it asks for no slice.
    #[must_use]
    pub fn read(pod: &Pod, reader: &Reader) -> Option<Self> {
        let node = pod.spec.node_name.as_deref().filter(|node| !node.is_empty());
        if !reader.concerns(pod) {
            return None;
        }
        let facts = PodFacts::of(pod)?;
        let node = match node {
            _ if pod.is_over() => return Some(Self::Over(facts.id.uid)),
            None => return Some(Self::unbound(pod, facts, reader)),
            Some(node) => node,
        };
        let holding = match claim(pod, &facts.id.uid, node, &reader.domain) {
            Ok(claim) => {
                // Of what it asks for, only what cannot be changed once it is there.
                let asked = reader.containers(pod, &mut Vec::new());
                Holding::claimed(facts, &claim, &asked, State::Bound)
            }
            Err(fault) => {
                let has_started = matches!(pod.status.phase.as_deref(), Some("Running" | "Unknown"));
                let has_started = has_started && reader.wants_devices(pod);
                Holding::unreadable(facts, node, fault, has_started)
            }
        };
        Some(Self::Holds(Box::new(holding)))
    }

    fn unbound(pod: &Pod, facts: PodFacts, reader: &Reader) -> Self {
        let node = pod.status.nominated_node_name.clone();
        let node = node.filter(|node| !node.is_empty() && !facts.is_leaving);
        match (node, reader.read(pod)) {
            (Some(node), Ok(Some(ask))) => Self::Nominated(Box::new(Nominated { facts, node, ask })),
            _ => Self::Waits(facts.id.uid),
        }
    }

    /// Whose it is, if it is on a node or has been.
    pub(super) const fn bound(&self) -> Option<&PodUid> {
        match self {
            Self::Over(uid) => Some(uid),
            Self::Holds(holding) => Some(&holding.facts.id.uid),
            Self::Nominated(_) | Self::Waits(_) => None,
        }
    }
}

/// The claim of a pod that is bound to `node`. Only ours counts: what no policy protects, everybody can write.
fn claim(pod: &Pod, uid: &PodUid, node: &str, domain: &Domain) -> Result<Claim, String> {
    let text = pod.annotation(&domain.claim()).ok_or("it has no claim")?;
    let claim = Claim::decode(text).map_err(|error| error.to_string())?;
    if claim.pod() != uid {
        return Err(format!("its claim is of pod {}", claim.pod()));
    }
    if claim.node() != node {
        return Err(format!("its claim is for node {}", Foreign(claim.node())));
    }
    Ok(claim)
}
