//! Whether a pod's claim is to be believed, and what its containers get.
//!
//! Pure: everything is an argument. The scheduler has decided; this is what a node checks before it acts upon it.

use std::collections::BTreeSet;

use contract::claim::{Claim, ClaimError, ContainerName};
use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::resources::Domain;
use contract::{Foreign, Uuid};

use super::capacity::{Card, Exceeded, Footprint, fits, footprint};
use super::mounts::Covered;
use super::pod::PodFacts;

/// In which annotations claims are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClaimForm {
    /// Our own.
    #[default]
    Own,
    /// That of vgpu-manager's scheduler.
    PreAllocated,
}

/// What a node knows and has been told.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The node's name.
    pub node: &'a str,
    /// Its GPUs.
    pub cards: &'a [Card],
    /// The domain of annotations and resources.
    pub domain: &'a Domain,
    /// In which annotations claims are.
    pub form: ClaimForm,
    /// What compute shares mean for pods that say nothing about it.
    pub policy: SharePolicy,
}

/// Why a pod gets nothing. One line for people, with the way out where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No scheduler has written a claim.
    #[error(
        "the pod has no claim (annotation {0}): it was not bound by the scheduler that gives out GPU slices; give it that \
         scheduler's name, and no nodeName"
    )]
    NoClaim(String),
    /// It cannot be read.
    #[error("annotation {key}: {fault}")]
    Malformed {
        /// Of which annotation.
        key: String,
        /// What is wrong.
        fault: ClaimError,
    },
    /// It was copied from another pod.
    #[error("the claim is of pod {0}, and this is another pod: claims cannot be copied")]
    OtherPod(String),
    /// It is for another node.
    #[error("the claim is for node \"{}\", and this is node {here:?}", Foreign(.claimed))]
    OtherNode {
        /// For which.
        claimed: String,
        /// On which the pod is.
        here: String,
    },
    /// It is not about these containers.
    #[error("the claim names container {0}, which the pod does not have")]
    NoSuchContainer(ContainerName),
    /// A container asks for another number of devices than it was given.
    #[error("container {container} asks for {asked} devices and the claim has {claimed} for it")]
    Count {
        /// Which.
        container: ContainerName,
        /// What its resources say.
        asked: usize,
        /// What the claim says.
        claimed: usize,
    },
    /// It names what this node does not have.
    #[error("the claim is for {0}, which this node does not have")]
    NoSuchGpu(Uuid),
    /// A GPU cannot be used now.
    #[error("{uuid} cannot be used now: {fault}")]
    Unhealthy {
        /// Which.
        uuid: Uuid,
        /// Why not.
        fault: String,
    },
    /// It is too much.
    #[error("{0}")]
    TooMuch(#[from] Exceeded),
    /// A volume is where a slice is.
    #[error(
        "container {} mounts a volume at {}, where its slice is: mount it elsewhere", .0.container, Foreign(&.0.path)
    )]
    Covered(Covered),
    /// What shares are to mean has no meaning.
    #[error("annotation {key} is \"{}\": write fixed, balance or none", Foreign(.value))]
    Policy {
        /// Of which annotation.
        key: String,
        /// What it says.
        value: String,
    },
    /// A priority is none.
    #[error("annotation {key} is \"{}\": {fault}", Foreign(.value))]
    Priority {
        /// Of which annotation.
        key: String,
        /// What it says.
        value: String,
        /// What to write.
        fault: &'static str,
    },
}

/// What a pod has been given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Its claim.
    pub claim: Claim,
    /// What its compute shares mean.
    pub policy: SharePolicy,
    /// Its priority on its GPUs.
    pub priority: Priority,
}

/// The claim in the annotations of `pod`.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn claim_of(pod: &PodFacts, terms: &Terms<'_>) -> Result<Claim, Refusal> {
    let key = match terms.form {
        ClaimForm::Own => terms.domain.claim(),
        ClaimForm::PreAllocated => terms.domain.pre_allocated(),
    };
    let Some(text) = pod.annotations.get(&key) else { return Err(Refusal::NoClaim(key)) };
    let claim = match terms.form {
        ClaimForm::Own => Claim::decode(text),
        ClaimForm::PreAllocated => {
            let node = pod.annotations.get(&terms.domain.predicate_node()).cloned().unwrap_or_default();
            Claim::from_pre_allocated(text, pod.uid.clone(), node)
        }
    };
    claim.map_err(|fault| Refusal::Malformed { key, fault })
}

/// Whether `pod` gets what its claim says, beside the `others` that live on this node.
///
/// # Errors
/// [`Refusal`]: the first reason why not.
pub fn accept<'a>(
    pod: &PodFacts,
    terms: &Terms<'_>,
    others: impl IntoIterator<Item = &'a Footprint>,
) -> Result<Accepted, Refusal> {
    let claim = claim_of(pod, terms)?;
    check_place(&claim, pod, terms)?;
    check_containers(&claim, pod)?;
    if let Some(covered) = &pod.covered {
        return Err(Refusal::Covered(covered.clone()));
    }
    for device in claim.containers().values().flatten() {
        usable(device.uuid, terms.cards)?;
    }
    let (policy, priority) = (policy(pod, terms)?, priority(pod, terms)?);
    fits(&footprint(&claim, &pod.containers), others, terms.cards)?;
    Ok(Accepted { claim, policy, priority })
}

fn check_place(claim: &Claim, pod: &PodFacts, terms: &Terms<'_>) -> Result<(), Refusal> {
    if *claim.pod() != pod.uid {
        return Err(Refusal::OtherPod(claim.pod().to_string()));
    }
    if claim.node() != terms.node {
        return Err(Refusal::OtherNode { claimed: claim.node().to_owned(), here: terms.node.to_owned() });
    }
    Ok(())
}

/// Whether the claim gives each container as many devices as it asks for.
fn check_containers(claim: &Claim, pod: &PodFacts) -> Result<(), Refusal> {
    let known: BTreeSet<&ContainerName> = pod.containers.iter().map(|container| &container.name).collect();
    if let Some(unknown) = claim.containers().keys().find(|name| !known.contains(name)) {
        return Err(Refusal::NoSuchContainer(unknown.clone()));
    }
    for container in &pod.containers {
        let claimed = claim.containers().get(&container.name).map_or(0, Vec::len);
        if claimed != container.devices {
            return Err(Refusal::Count {
                container: container.name.clone(),
                asked: container.devices,
                claimed,
            });
        }
    }
    Ok(())
}

/// The card `uuid`, if it is there and can be used.
///
/// # Errors
/// [`Refusal`] that says which of the two is not so.
pub fn usable(uuid: Uuid, cards: &[Card]) -> Result<&Card, Refusal> {
    let card = cards.iter().find(|card| card.uuid == uuid).ok_or(Refusal::NoSuchGpu(uuid))?;
    match &card.fault {
        None => Ok(card),
        Some(fault) => Err(Refusal::Unhealthy { uuid, fault: fault.clone() }),
    }
}

fn policy(pod: &PodFacts, terms: &Terms<'_>) -> Result<SharePolicy, Refusal> {
    let key = terms.domain.compute_policy();
    match pod.annotations.get(&key) {
        None => Ok(terms.policy),
        Some(value) => value.parse().map_err(|_| Refusal::Policy { key, value: value.clone() }),
    }
}

fn priority(pod: &PodFacts, terms: &Terms<'_>) -> Result<Priority, Refusal> {
    let key = terms.domain.priority();
    match pod.annotations.get(&key) {
        None => Ok(Priority::default()),
        Some(value) => value.parse().map_err(|fault| Refusal::Priority { key, value: value.clone(), fault }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_that_is_as_long_as_can_be_floods_no_event() {
        let domain = Domain::default();
        let (node, policy) = ("node-1", SharePolicy::default());
        let terms = Terms { node, cards: &[], domain: &domain, form: ClaimForm::Own, policy };
        let long = "\n".repeat(200 << 10);
        let pod = |key: String| PodFacts {
            uid: "u".parse().unwrap(),
            namespace: String::new(),
            name: String::new(),
            annotations: [(key, long.clone())].into(),
            is_over: false,
            containers: vec![],
            covered: None,
        };
        let here = node.to_owned();
        let refusals = [
            super::policy(&pod(domain.compute_policy()), &terms).unwrap_err(),
            priority(&pod(domain.priority()), &terms).unwrap_err(),
            claim_of(&pod(domain.claim()), &terms).unwrap_err(),
            Refusal::OtherNode { claimed: long.clone(), here },
        ];
        for refusal in refusals.map(|refusal| refusal.to_string()) {
            assert!(refusal.len() < 400 && !refusal.contains('\n'), "{refusal}");
        }
    }
}
