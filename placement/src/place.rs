//! Which devices each container of a pod gets.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::amount::Amount;
use crate::effort::{Effort, Purse};
use crate::fit;
use crate::node::Node;
use crate::order::{self, Candidate};
use crate::peak::{Role, peak};
use crate::refusal::Refusal;
use crate::request::{ContainerRequest, Memory, PodRequest};

/// A device, and what of it.
type Held = (usize, Amount);

/// The devices of each container of a request, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Devices, and what of them, for each container.
    pub containers: Vec<Vec<Held>>,
}

impl Placement {
    /// The most of each device that the pod holds at one time.
    #[must_use]
    pub fn peak(&self, request: &PodRequest) -> BTreeMap<usize, Amount> {
        let roles = request.containers.iter().map(|container| container.role);
        peak(roles.zip(self.containers.iter().map(|devices| devices.iter().copied())))
    }
}

/// Chooses devices for all containers: the best by topology, then by policy, then the first, for one container after the other,
/// those first that are the hardest to place. Where that leaves a container without devices, other choices are tried, as many as
/// `effort` allows.
///
/// # Errors
/// Why the pod does not fit.
pub fn place(node: &Node, request: &PodRequest, effort: &mut Effort) -> Result<Placement, Refusal> {
    fit::alone(node, request)?;
    fit::together(node, request)?;
    let purse = effort.of_one_node();
    let mut search = Search {
        node,
        request,
        lasting: lasting(&request.containers),
        chosen: vec![Vec::new(); request.containers.len()],
        held: vec![Amount::default(); node.devices.len()],
        purse: &purse,
    };
    let is_placed = search.place_lasting(0);
    let chosen = search.chosen;
    effort.settle(&purse);
    if is_placed {
        Ok(Placement { containers: chosen })
    } else if purse.is_empty() {
        Err(Refusal::Effort)
    } else {
        Err(Refusal::Together)
    }
}

/// The containers that run at the same time, the hardest to place first.
fn lasting(containers: &[ContainerRequest]) -> Vec<usize> {
    let memory = |container: &ContainerRequest| match container.memory {
        Memory::Whole => (2, 0),
        Memory::Percent(percent) => (1, percent),
        Memory::Units(units) => (0, units),
    };
    let mut lasting: Vec<usize> = (0..containers.len()).collect();
    lasting.retain(|place| containers[*place].role != Role::Init);
    lasting.sort_by_key(|place| {
        let container = &containers[*place];
        std::cmp::Reverse((container.count, memory(container)))
    });
    lasting
}

struct Search<'a> {
    node: &'a Node,
    request: &'a PodRequest,
    /// See [`lasting`].
    lasting: Vec<usize>,
    chosen: Vec<Vec<Held>>,
    /// What is chosen for containers that run at the same time, for each device.
    held: Vec<Amount>,
    /// What may yet be tried.
    purse: &'a Purse,
}

impl Search<'_> {
    /// Places those from `next` on, and then the init containers.
    fn place_lasting(&mut self, next: usize) -> bool {
        let Some(container) = self.lasting.get(next).copied() else { return self.place_inits() };
        let mut candidates = self.candidates(container, &self.held);
        order::by_policy(&mut candidates, self.node, self.request.policy);
        let (node, purse, count) = (self.node, self.purse, self.request.containers[container].count);
        let mut is_placed = false;
        order::each_set(&candidates, count, node, self.request.topology, purse, &mut |set| {
            let before = self.held.clone();
            self.choose(container, &candidates, set);
            for (device, amount) in &self.chosen[container] {
                self.held[*device] = self.held[*device].plus(*amount);
            }
            is_placed = self.place_lasting(next + 1);
            if !is_placed {
                self.held = before;
            }
            purse.pay();
            if is_placed || purse.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_placed
    }

    /// Places each init container beside the sidecars that start before it: rather on devices that the pod has anyway.
    fn place_inits(&mut self) -> bool {
        let containers = &self.request.containers;
        let is_init = |place: &usize| containers[*place].role == Role::Init;
        (0..containers.len()).filter(is_init).all(|container| {
            let mut candidates = self.candidates(container, &self.sidecars_before(container));
            order::by_policy(&mut candidates, self.node, self.request.policy);
            candidates.sort_by_key(|candidate| self.held[candidate.device].slots == 0);
            let mut is_placed = false;
            let (purse, count) = (self.purse, containers[container].count);
            order::each_set(&candidates, count, self.node, self.request.topology, purse, &mut |set| {
                self.choose(container, &candidates, set);
                is_placed = true;
                ControlFlow::Break(())
            });
            is_placed
        })
    }

    fn choose(&mut self, container: usize, candidates: &[Candidate], set: &[usize]) {
        let chosen = set.iter().map(|place| &candidates[*place]);
        self.chosen[container] = chosen.map(|candidate| (candidate.device, candidate.need)).collect();
    }

    /// The devices that have room for a container beside what the pod holds.
    fn candidates(&self, container: usize, held: &[Amount]) -> Vec<Candidate> {
        let container = &self.request.containers[container];
        let devices = self.node.devices.iter().zip(held).enumerate();
        let fitting = devices.filter_map(|(place, (device, held))| {
            let need = self.request.need(container, self.node, device, *held).ok()?;
            Some(Candidate { device: place, held: *held, need })
        });
        fitting.collect()
    }

    /// What sidecars that start before this container hold of each device.
    fn sidecars_before(&self, container: usize) -> Vec<Amount> {
        let mut held = vec![Amount::default(); self.node.devices.len()];
        for sidecar in (0..container).filter(|place| self.request.containers[*place].role == Role::Sidecar) {
            for (device, amount) in &self.chosen[sidecar] {
                held[*device] = held[*device].plus(*amount);
            }
        }
        held
    }
}
