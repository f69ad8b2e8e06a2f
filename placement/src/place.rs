//! Which devices each container of a pod gets.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::amount::Amount;
use crate::effort::Purse;
use crate::needs::Room;
use crate::order::{self, Candidate};
use crate::peak::{Role, peak};
use crate::request::{ContainerRequest, Memory, PodRequest, Policy, Topology};

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

/// Tries choices of devices for the containers of a request.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    request: &'a PodRequest,
    /// Of which kind each container is.
    kinds: Vec<usize>,
    /// See [`lasting`].
    lasting: Vec<usize>,
    chosen: Vec<Vec<Held>>,
    /// What is chosen for containers that run at the same time, for each device.
    held: Vec<Amount>,
    /// Lists that nobody is using, kept for their memory: there are many nodes, and a container of each has one.
    spare: Vec<Vec<Candidate>>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(request: &'a PodRequest, kinds: Vec<usize>) -> Self {
        Self {
            request,
            kinds,
            lasting: lasting(&request.containers),
            chosen: vec![Vec::new(); request.containers.len()],
            held: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Whether choices are found with which all containers have devices, trying what can be paid for.
    pub(crate) fn on(&mut self, room: &Room<'_>, purse: &Purse) -> bool {
        self.held.clear();
        self.held.resize(room.node.devices.len(), Amount::default());
        self.place_lasting(room, purse, 0)
    }

    /// What was found last.
    pub(crate) fn placement(&self) -> Placement {
        Placement { containers: self.chosen.clone() }
    }

    /// Places those from `next` on, and then the init containers.
    fn place_lasting(&mut self, room: &Room<'_>, purse: &Purse, next: usize) -> bool {
        let Some(container) = self.lasting.get(next) else { return self.place_inits(room, purse) };
        let PodRequest { topology, policy, .. } = *self.request;
        if (topology, policy) != (Topology::Any, Policy::None) {
            return self.place_among(usize::MAX, 0, room, purse, next);
        }
        // The first devices with room are nearly always the choice. The others are listed only if they are not.
        let count = self.request.containers[*container].count;
        self.place_among(count, 0, room, purse, next)
            || !purse.is_empty() && self.place_among(usize::MAX, 1, room, purse, next)
    }

    /// Places the one at `next` among the first `most` devices with room, and then those after it. The first so many sets of them have
    /// been `tried`.
    fn place_among(
        &mut self,
        most: usize,
        tried: usize,
        room: &Room<'_>,
        purse: &Purse,
        next: usize,
    ) -> bool {
        let PodRequest { topology, policy, .. } = *self.request;
        let container = self.lasting[next];
        let count = self.request.containers[container].count;
        let mut candidates = self.spare.pop().unwrap_or_default();
        self.list(&mut candidates, most, container, room, &self.held);
        order::by_policy(&mut candidates, room.node, policy);
        let (mut is_placed, mut left_out) = (false, 0);
        order::each_set(&candidates, count, room.node, topology, purse, &mut |set| {
            if left_out < tried {
                left_out += 1;
                return ControlFlow::Continue(());
            }
            self.choose(container, &candidates, set);
            for candidate in set.iter().map(|place| &candidates[*place]) {
                self.held[candidate.device] = candidate.held.plus(candidate.need);
            }
            is_placed = self.place_lasting(room, purse, next + 1);
            if !is_placed {
                let chosen = set.iter().map(|place| &candidates[*place]);
                chosen.for_each(|candidate| self.held[candidate.device] = candidate.held);
            }
            purse.pay();
            if is_placed || purse.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.spare.push(candidates);
        is_placed
    }

    /// Places each init container beside the sidecars that start before it: rather on devices that the pod has anyway.
    fn place_inits(&mut self, room: &Room<'_>, purse: &Purse) -> bool {
        let containers = &self.request.containers;
        let is_init = |place: &usize| containers[*place].role == Role::Init;
        (0..containers.len()).filter(is_init).all(|container| {
            let mut candidates = self.spare.pop().unwrap_or_default();
            self.list(&mut candidates, usize::MAX, container, room, &self.sidecars_before(container));
            order::by_policy(&mut candidates, room.node, self.request.policy);
            candidates.sort_by_key(|candidate| self.held[candidate.device].slots == 0);
            let mut is_placed = false;
            let (topology, count) = (self.request.topology, containers[container].count);
            order::each_set(&candidates, count, room.node, topology, purse, &mut |set| {
                self.choose(container, &candidates, set);
                is_placed = true;
                ControlFlow::Break(())
            });
            self.spare.push(candidates);
            is_placed
        })
    }

    fn choose(&mut self, container: usize, candidates: &[Candidate], set: &[usize]) {
        let chosen = set.iter().map(|place| &candidates[*place]);
        self.chosen[container].clear();
        self.chosen[container].extend(chosen.map(|candidate| (candidate.device, candidate.need)));
    }

    /// Lists the first `most` devices that have room for a container beside what the pod holds.
    fn list(
        &self,
        candidates: &mut Vec<Candidate>,
        most: usize,
        container: usize,
        room: &Room<'_>,
        held: &[Amount],
    ) {
        let with_room = room.beside(self.kinds[container], held).take(most);
        candidates.clear();
        candidates.extend(with_room.map(|(device, held, need)| Candidate { device, held, need }));
    }

    /// What sidecars that start before this container hold of each device.
    fn sidecars_before(&self, container: usize) -> Vec<Amount> {
        let mut held = vec![Amount::default(); self.held.len()];
        for sidecar in (0..container).filter(|place| self.request.containers[*place].role == Role::Sidecar) {
            for (device, amount) in &self.chosen[sidecar] {
                held[*device] = held[*device].plus(*amount);
            }
        }
        held
    }
}
