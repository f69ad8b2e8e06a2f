//! What every node has and every pod holds of it.
//!
//! ```text
//! watches ── note, forget, replace ──> Ledger ── view ──────────────────> filter, prioritize, preempt, explain
//!                                        ^
//! bind ── assume, confirm, release ──────┘
//! ```
//!
//! Pure: no IO and no clock. Each fact has one owner: nodes are by their names, holdings by the uids of their pods; what is used of
//! a node's devices is computed anew from its holdings at each of their changes.

mod assume;
mod audit;
mod fault;
mod holding;
mod likeness;
mod node;
mod nominated;
mod notes;
mod pod;
mod setbacks;
mod shared;

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use contract::Uuid;
use contract::claim::PodUid;
use placement::Effort;

pub use assume::{AssumeError, Reservation};
pub use audit::{Difference, DifferenceKind};
pub use fault::NodeFault;
pub use holding::{Holding, State};
pub use likeness::Likeness;
use likeness::Likenesses;
pub use node::NodeFacts;
use node::Offer;
pub use nominated::Nominated;
use nominated::Nominations;
pub use pod::{PodFacts, PodId, PodWord};
pub use setbacks::Setback;
use setbacks::Setbacks;
pub use shared::SharedLedger;

use crate::api::Node;
use crate::request::Reader;

/// A moment in the life of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Ledger {
    reader: Reader,
    nodes: HashMap<String, Entry>,
    /// With the moment of their last change.
    pods: HashMap<PodUid, (Holding, u64)>,
    /// How many changes there were.
    time: u64,
    setbacks: Setbacks,
    nominations: Nominations,
    likenesses: Likenesses,
}

/// Nodes of whose devices more or less is used than has been computed.
type Touched = BTreeSet<String>;

/// A node, and who is there. Pods may be known before their node is.
#[derive(Clone, Debug, Default)]
struct Entry {
    facts: Option<NodeFacts>,
    pods: BTreeSet<PodUid>,
    /// Why pods that are there close the node.
    closed: Option<NodeFault>,
    /// The moment of the last change of any of this.
    changed: u64,
}

impl Entry {
    fn offer(&self) -> Result<&Offer, &NodeFault> {
        let facts = self.facts.as_ref().ok_or(&NodeFault::Unknown)?;
        let offer = facts.offer.as_ref()?;
        self.closed.as_ref().map_or(Ok(offer), Err)
    }
}

/// A node as it is now.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// What it is.
    pub facts: &'a NodeFacts,
    /// Its devices, with what is used of them.
    pub devices: Result<&'a placement::Node, &'a NodeFault>,
}

impl Ledger {
    /// One that knows nothing.
    #[must_use]
    pub fn new(reader: Reader) -> Self {
        let (nodes, pods) = (HashMap::new(), HashMap::new());
        Self {
            reader,
            nodes,
            pods,
            time: 0,
            setbacks: Setbacks::default(),
            nominations: Nominations::default(),
            likenesses: Likenesses::default(),
        }
    }

    /// What pods and nodes are read with.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Another one that is filled in the same way, and knows nothing.
    #[must_use]
    pub fn empty(&self) -> Self {
        Self::new(self.reader.clone())
    }

    /// Reads a node, for [`put_node`](Self::put_node).
    #[must_use]
    pub fn read_node(&self, node: &Node) -> Option<NodeFacts> {
        NodeFacts::read(node, &self.reader)
    }

    /// `devices` of a node as they are for `pod`, where others are to come that go before it; `None`: none are. All go before nobody in
    /// particular.
    #[must_use]
    pub fn view_for(
        &self,
        node: &str,
        devices: &placement::Node,
        pod: Option<&PodFacts>,
        effort: &mut Effort,
    ) -> Option<placement::Node> {
        self.nominations.with(node, devices, pod, |uid| self.pods.contains_key(uid), effort)
    }

    /// Whether a pod of this controller could not start on this node lately, so that another node is rather to be tried.
    #[must_use]
    pub fn had_setback(&self, controller: &str, node: &str, now: Instant) -> bool {
        self.setbacks.has(controller, node, now)
    }

    /// The devices of a node, with what is used of them.
    ///
    /// # Errors
    /// Why it takes no pods.
    pub fn view(&self, node: &str) -> Result<&placement::Node, &NodeFault> {
        let entry = self.nodes.get(node).ok_or(&NodeFault::Unknown)?;
        entry.offer().map(|offer| &offer.node)
    }

    /// What a node has in common with others that are alike, if it takes pods and none is to come there for which others were preempted.
    #[must_use]
    pub fn likeness(&self, node: &str) -> Option<Likeness> {
        self.likenesses.of(node).filter(|_| !self.nominations.are_on(node))
    }

    /// [`likeness`](Self::likeness) of each of many nodes, in their order.
    #[must_use]
    pub fn likenesses<'a>(&self, nodes: impl Iterator<Item = &'a str> + Clone) -> Vec<Option<Likeness>> {
        let all = self.likenesses.of_all(nodes.clone()).into_iter().zip(nodes);
        all.map(|(likeness, node)| likeness.filter(|_| !self.nominations.are_on(node))).collect()
    }

    /// The devices of a node as they would be if these pods were gone.
    ///
    /// # Errors
    /// Why it takes no pods even then.
    pub fn view_without(&self, node: &str, gone: &[PodUid]) -> Result<placement::Node, NodeFault> {
        let entry = self.nodes.get(node).ok_or(NodeFault::Unknown)?;
        let offer = entry.facts.as_ref().ok_or(NodeFault::Unknown)?.offer.as_ref().map_err(Clone::clone)?;
        let there = of(&entry.pods, &self.pods).filter(|holding| !gone.contains(holding.uid()));
        let there: Vec<&Holding> = there.collect();
        if let Some(fault) = closed(&there) {
            return Err(fault);
        }
        let mut devices = offer.node.clone();
        sum_up(&mut devices, &offer.uuids, &there);
        Ok(devices)
    }

    /// All nodes that the API server tells of, in no order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'_>> {
        self.nodes.values().filter_map(|entry| {
            let devices = entry.offer().map(|offer| &offer.node);
            entry.facts.as_ref().map(|facts| NodeView { facts, devices })
        })
    }

    /// What pods hold on a node, by their uids.
    pub fn holdings(&self, node: &str) -> impl Iterator<Item = &Holding> {
        self.nodes.get(node).into_iter().flat_map(|entry| of(&entry.pods, &self.pods))
    }

    /// What a pod holds.
    #[must_use]
    pub fn holding(&self, uid: &PodUid) -> Option<&Holding> {
        self.pods.get(uid).map(|(holding, _)| holding)
    }

    fn offer(&self, node: &str) -> Result<&Offer, NodeFault> {
        self.nodes.get(node).ok_or(NodeFault::Unknown)?.offer().map_err(Clone::clone)
    }

    /// Puts a holding in the place of what its pod held.
    fn put(&mut self, holding: Holding, touched: &mut Touched) {
        self.take(&holding.uid().clone(), touched);
        let (uid, node, now) = (holding.uid().clone(), holding.node.clone(), self.tick());
        self.nodes.entry(node.clone()).or_default().pods.insert(uid.clone());
        self.pods.insert(uid, (holding, now));
        touched.insert(node);
    }

    /// Takes away what a pod holds.
    fn take(&mut self, uid: &PodUid, touched: &mut Touched) {
        if let Some((holding, _)) = self.pods.remove(uid) {
            if let Some(entry) = self.nodes.get_mut(&holding.node) {
                entry.pods.remove(uid);
            }
            touched.insert(holding.node);
        }
    }

    /// Makes changes, and computes anew what is used of each node that they touch: once, however many touch it.
    fn change(&mut self, change: impl FnOnce(&mut Self, &mut Touched)) {
        let mut touched = Touched::new();
        change(self, &mut touched);
        touched.iter().for_each(|node| self.refresh(node));
    }

    /// Computes anew what is used of a node's devices.
    fn refresh(&mut self, node: &str) {
        let now = self.tick();
        if let Some(entry) = self.nodes.get_mut(node) {
            compute(entry, &self.pods);
            self.likenesses.note(node, entry.offer().ok().map(|offer| &offer.node));
            entry.changed = now;
            if entry.facts.is_none() && entry.pods.is_empty() {
                self.nodes.remove(node);
            }
        }
    }

    const fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time
    }
}

/// Sums up what the pods of a node hold.
fn compute(entry: &mut Entry, pods: &HashMap<PodUid, (Holding, u64)>) {
    let there: Vec<&Holding> = of(&entry.pods, pods).collect();
    entry.closed = closed(&there);
    if let Some(Ok(offer)) = entry.facts.as_mut().map(|facts| facts.offer.as_mut()) {
        sum_up(&mut offer.node, &offer.uuids, &there);
    }
}

/// What these pods hold.
fn of<'a>(
    uids: &'a BTreeSet<PodUid>,
    pods: &'a HashMap<PodUid, (Holding, u64)>,
) -> impl Iterator<Item = &'a Holding> {
    uids.iter().filter_map(|uid| pods.get(uid)).map(|(holding, _)| holding)
}

/// Why pods that are there close their node, if they do.
fn closed(there: &[&Holding]) -> Option<NodeFault> {
    there.iter().find_map(|holding| {
        let fault = holding.closes_node()?.to_owned();
        Some(NodeFault::Unreadable { pod: holding.facts.id.clone(), fault })
    })
}

fn sum_up(node: &mut placement::Node, uuids: &[Uuid], there: &[&Holding]) {
    node.devices.iter_mut().for_each(|device| device.used = placement::Amount::default());
    let place = |uuid| uuids.iter().position(|other| *other == uuid);
    for holding in there {
        let capacity = |uuid| place(uuid).map_or_else(Default::default, |at| node.devices[at].capacity);
        for (uuid, amount) in holding.peak(capacity) {
            if let Some(at) = place(uuid) {
                node.devices[at].used = node.devices[at].used.plus(amount);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
