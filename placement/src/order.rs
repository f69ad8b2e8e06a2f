//! Which devices, and which sets of them, come first.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::amount::Amount;
use crate::effort::Purse;
use crate::links::Link;
use crate::node::{Device, Node};
use crate::request::{Policy, Topology};
use crate::sets;

/// A device that a container could have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub device: usize,
    /// What the pod holds of it at the same time.
    pub held: Amount,
    pub need: Amount,
}

/// The part of `capacity` that is used, in millionths: the mean of memory and time.
pub(crate) fn fullness(used: Amount, capacity: Amount) -> u64 {
    let part = |used: u64, all: u64| used.min(all).saturating_mul(1_000_000) / all.max(1);
    part(used.memory, capacity.memory).midpoint(part(used.cores, capacity.cores))
}

/// Brings candidates into the order of the policy; equals stay in the node's order.
pub(crate) fn by_policy(candidates: &mut [Candidate], node: &Node, policy: Policy) {
    let use_of = |candidate: &Candidate| {
        let device = &node.devices[candidate.device];
        fullness(device.used.plus(candidate.held), device.capacity)
    };
    match policy {
        Policy::None => {}
        Policy::Binpack => candidates.sort_by_key(|candidate| Reverse(use_of(candidate))),
        Policy::Spread => candidates.sort_by_key(use_of),
    }
}

/// Shows sets of candidates, the best first, until `show` has seen enough. Bringing them into an order is paid from `purse`.
pub(crate) fn each_set(
    candidates: &[Candidate],
    count: usize,
    node: &Node,
    topology: Topology,
    purse: &Purse,
    show: &mut impl FnMut(&[usize]) -> ControlFlow<()>,
) {
    let seen = match topology {
        Topology::Any => {
            let are_twins = |one: usize, other: usize| are_alike(&candidates[one], &candidates[other], node);
            sets::each(candidates.len(), count, &are_twins, show)
        }
        Topology::Numa { is_strict } => {
            let mut all = within_numa_nodes(candidates, count, node);
            if !is_strict {
                all.extend(every(candidates, count, purse));
            }
            all.sort_by_key(|set| numa_nodes(candidates, set, node));
            all.iter().try_for_each(|set| show(set))
        }
        Topology::Link { is_strict } => {
            let mut all = if sets::number(candidates.len(), count) > most_listed(purse) {
                grown(candidates, count, node, is_strict)
            } else {
                every(candidates, count, purse)
            };
            let devices =
                |set: &[usize]| set.iter().map(|place| candidates[*place].device).collect::<Vec<_>>();
            all.retain(|set| !is_strict || node.links.are_meshed(&devices(set)));
            all.sort_by_cached_key(|set| Reverse(node.links.worth(&devices(set))));
            all.iter().try_for_each(|set| show(set))
        }
    };
    // Whether `show` has seen enough is its own affair.
    let (ControlFlow::Break(()) | ControlFlow::Continue(())) = seen;
}

/// Whether it makes no difference which of the two is taken.
fn are_alike(one: &Candidate, other: &Candidate, node: &Node) -> bool {
    let Device { capacity, used, .. } = &node.devices[one.device];
    let theirs = &node.devices[other.device];
    (one.held, one.need, *capacity, *used) == (other.held, other.need, theirs.capacity, theirs.used)
}

/// How many sets are listed at once.
fn most_listed(purse: &Purse) -> u64 {
    purse.listed().min(sets::MOST)
}

/// All sets, or as many as may be listed.
fn every(candidates: &[Candidate], count: usize, purse: &Purse) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let most = most_listed(purse);
    let _ = sets::each(candidates.len(), count, &|_, _| false, &mut |set| {
        all.push(set.to_vec());
        if all.len() as u64 >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    purse.pay_for_listed(all.len());
    all
}

/// The first set at each NUMA node.
fn within_numa_nodes(candidates: &[Candidate], count: usize, node: &Node) -> Vec<Vec<usize>> {
    let numa = |place: usize| node.devices[candidates[place].device].numa;
    let places: BTreeSet<u32> = (0..candidates.len()).filter_map(numa).collect();
    let there = places.into_iter().map(|at| {
        (0..candidates.len()).filter(|place| numa(*place) == Some(at)).take(count).collect::<Vec<_>>()
    });
    there.filter(|set| set.len() == count).collect()
}

/// At how many NUMA nodes they are. A device of which that is not known is at one of its own.
fn numa_nodes(candidates: &[Candidate], set: &[usize], node: &Node) -> usize {
    let places = || set.iter().map(|place| node.devices[candidates[*place].device].numa);
    places().flatten().collect::<BTreeSet<_>>().len() + places().filter(Option::is_none).count()
}

/// From each candidate on, the one nearest to those that are there already, until there are enough; if strict, over an `NVLink`.
fn grown(candidates: &[Candidate], count: usize, node: &Node, is_strict: bool) -> Vec<Vec<usize>> {
    let way = |one: usize, other: usize| node.links.between(candidates[one].device, candidates[other].device);
    let from = |first: usize| {
        let mut set = vec![first];
        while set.len() < count {
            let is_near =
                |place: &usize| set.iter().any(|there| matches!(way(*there, *place), Link::NvLink(_)));
            let worth = |place: &usize| set.iter().map(|there| way(*there, *place).worth()).sum::<u32>();
            let free = (0..candidates.len()).filter(|place| !set.contains(place));
            // Of equals the first.
            let next = free.filter(|place| !is_strict || is_near(place)).rev().max_by_key(worth)?;
            set.push(next);
        }
        set.sort_unstable();
        Some(set)
    };
    let all: BTreeSet<Vec<usize>> = (0..candidates.len()).filter_map(from).collect();
    all.into_iter().collect()
}
