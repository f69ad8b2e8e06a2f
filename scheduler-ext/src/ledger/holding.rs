//! What a pod holds of the GPUs of its node.

use std::collections::BTreeMap;

use contract::Uuid;
use contract::claim::{Claim, ClaimedDevice, ContainerName, PodUid};
use placement::{Amount, ContainerRequest, Cores, Role, peak};

use super::pod::PodFacts;

/// How sure it is that the pod is on the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Reserved by a bind of which it is not known yet whether the API server has taken it.
    Assumed,
    /// The API server has taken it; the watch has not shown it yet.
    Confirmed,
    /// The API server has shown it.
    Bound,
}

/// What a pod holds, from its reservation until it is over or gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Whose it is.
    pub facts: PodFacts,
    /// On which node.
    pub node: String,
    /// How sure that is.
    pub state: State,
    held: Result<Held, Unreadable>,
}

/// No claim that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unreadable {
    fault: String,
    has_started: bool,
}

/// A claim that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    claim: Claim,
    /// The containers of the claim in the order in which they start: which, when it runs, and what it asked for of time.
    containers: Vec<(ContainerName, Role, Cores)>,
}

impl Holding {
    /// That of a pod with a claim, whose containers have asked for this. Those of which it says nothing count as if they ran all
    /// the time; a claim does not say whether somebody is to be alone, so for them all of the time means that.
    #[must_use]
    pub fn claimed(facts: PodFacts, claim: &Claim, asked: &[ContainerRequest], state: State) -> Self {
        let known = asked.iter().filter_map(|request| {
            let name: ContainerName = request.name.parse().ok()?;
            claim.containers().contains_key(&name).then_some((name, request.role, request.cores))
        });
        let mut containers: Vec<_> = known.collect();
        for (name, devices) in claim.containers() {
            if !containers.iter().any(|(known, ..)| known == name) {
                let share = devices.iter().filter_map(|device| device.cores).max();
                let cores = share.map_or(Cores::Unlimited, |share| Cores::Percent(share.get().into()));
                containers.push((name.clone(), Role::App, cores));
            }
        }
        let node = claim.node().to_owned();
        Self { facts, node, state, held: Ok(Held { claim: claim.clone(), containers }) }
    }

    /// That of a pod that is bound to `node` with nobody knows what. It has something only if it has started, since the node agent
    /// starts none without a claim.
    #[must_use]
    pub fn unreadable(facts: PodFacts, node: &str, fault: String, has_started: bool) -> Self {
        let held = Err(Unreadable { fault, has_started });
        Self { facts, node: node.to_owned(), state: State::Bound, held }
    }

    /// Why nobody can tell what is left of the node, where that is so.
    #[must_use]
    pub fn closes_node(&self) -> Option<&str> {
        let unreadable = self.held.as_ref().err().filter(|unreadable| unreadable.has_started);
        unreadable.map(|unreadable| unreadable.fault.as_str())
    }

    /// Its claim.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn claim(&self) -> Result<&Claim, &str> {
        self.held.as_ref().map(|held| &held.claim).map_err(|unreadable| unreadable.fault.as_str())
    }

    /// Whose it is.
    #[must_use]
    pub const fn uid(&self) -> &PodUid {
        &self.facts.id.uid
    }

    /// The most of each device that the pod holds at one time. `capacity` is what may be claimed of a device.
    #[must_use]
    pub fn peak(&self, capacity: impl Fn(Uuid) -> Amount) -> BTreeMap<Uuid, Amount> {
        let Ok(held) = &self.held else { return BTreeMap::new() };
        peak(held.containers.iter().map(|(name, role, cores)| {
            let devices = held.claim.containers().get(name).into_iter().flatten();
            let capacity = &capacity;
            (*role, devices.map(move |device| (device.uuid, amount(device, *cores, capacity(device.uuid)))))
        }))
    }
}

fn amount(device: &ClaimedDevice, asked: Cores, capacity: Amount) -> Amount {
    Amount {
        slots: 1,
        memory: device.memory.0.get().into(),
        cores: device.cores.map_or(0, |share| share.get().into()),
        is_exclusive: asked.is_alone(capacity),
    }
}
