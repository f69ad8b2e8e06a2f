//! Reservations: devices that are given to a pod before the API server knows.

use std::collections::BTreeMap;

use contract::Percent;
use contract::claim::{Claim, ClaimedDevice, ContainerName, Mib, PodUid};
use placement::{Amount, Effort, Placement, Refusal, place};

use super::fault::NodeFault;
use super::holding::{Holding, State};
use super::node::Offer;
use super::pod::PodFacts;
use super::{Ledger, Mark};
use crate::request::Ask;

/// What a pod has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Its devices.
    pub claim: Claim,
    /// How sure it was before: none, it is new.
    pub earlier: Option<State>,
}

/// Why a pod gets nothing on a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssumeError {
    /// The node takes no pods.
    #[error(transparent)]
    Node(#[from] NodeFault),
    /// It has no room for it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It is on another node already.
    #[error("the pod has its GPUs on node {0} already")]
    Elsewhere(String),
    /// It is there already, and nobody knows with what.
    #[error("the pod is on the node already, and its claim cannot be read: {0}")]
    Unreadable(String),
    /// What was found for it cannot be written down.
    #[error("no claim can be made of it: {0}")]
    Claim(String),
}

impl Ledger {
    /// Chooses devices of `node` for a pod and reserves them, until [`release`](Self::release) or until the pod is gone. A pod that
    /// has them already gets the same ones again. What becomes of one is to be known before another is made for the same pod.
    ///
    /// # Errors
    /// Why it gets none; nothing has changed.
    pub fn assume(&mut self, pod: &PodFacts, ask: &Ask, node: &str) -> Result<Reservation, AssumeError> {
        if let Some(held) = self.holding(&pod.id.uid) {
            return again(held, node);
        }
        let offer = self.offer(node)?;
        let mut effort = Effort::default();
        let with_others = self.view_for(node, &offer.node, Some(pod), &mut effort);
        let placement = place(with_others.as_ref().unwrap_or(&offer.node), &ask.request, &mut effort)?;
        let claim = claim(&pod.id.uid, node, ask, offer, &placement).map_err(AssumeError::Claim)?;
        let holding = Holding::claimed(pod.clone(), &claim, &ask.request.containers, State::Assumed);
        self.change(|ledger, touched| ledger.put(holding, touched));
        Ok(Reservation { claim, earlier: None })
    }

    /// The API server has bound the pod with the claim that was reserved.
    pub fn confirm(&mut self, uid: &PodUid) {
        let now = self.tick();
        if let Some((holding, changed)) = self.pods.get_mut(uid)
            && holding.state == State::Assumed
        {
            holding.state = State::Confirmed;
            *changed = now;
        }
    }

    /// The API server has not bound the pod with the claim that was reserved, and never will. What it has shown to be bound stays.
    pub fn release(&mut self, uid: &PodUid) {
        if self.holding(uid).is_some_and(|holding| holding.state == State::Assumed) {
            self.change(|ledger, touched| ledger.take(uid, touched));
        }
    }

    /// Whether there is a pod that the API server had bound at `since`, by its word alone: it has not shown it yet.
    #[must_use]
    pub fn has_unseen(&self, since: Mark) -> bool {
        self.pods.values().any(|(holding, changed)| holding.state == State::Confirmed && *changed <= since.0)
    }

    /// This moment.
    #[must_use]
    pub const fn mark(&self) -> Mark {
        Mark(self.time)
    }
}

fn again(held: &Holding, node: &str) -> Result<Reservation, AssumeError> {
    if held.node != node {
        return Err(AssumeError::Elsewhere(held.node.clone()));
    }
    let claim = held.claim().map_err(|fault| AssumeError::Unreadable(fault.to_owned()))?;
    Ok(Reservation { claim: claim.clone(), earlier: Some(held.state) })
}

fn claim(uid: &PodUid, node: &str, ask: &Ask, offer: &Offer, placement: &Placement) -> Result<Claim, String> {
    let mut containers = BTreeMap::new();
    for (request, devices) in ask.request.containers.iter().zip(&placement.containers) {
        let name: ContainerName = request.name.parse().map_err(|error| format!("{error}"))?;
        let devices = devices.iter().map(|(device, amount)| claimed(offer, *device, *amount));
        containers.insert(name, devices.collect::<Result<_, _>>()?);
    }
    Claim::new(uid.clone(), node.to_owned(), containers).map_err(|error| error.to_string())
}

fn claimed(offer: &Offer, device: usize, amount: Amount) -> Result<ClaimedDevice, String> {
    let uuid = offer.uuids[device];
    let memory = u32::try_from(amount.memory).ok().and_then(Mib::new);
    let memory = memory.ok_or_else(|| format!("{uuid}: {} MiB are none that can be given", amount.memory))?;
    let cores = u8::try_from(amount.cores).ok().and_then(Percent::new);
    Ok(ClaimedDevice { uuid, memory, cores })
}
