//! Whether a ledger is what it ought to be.

use std::collections::BTreeSet;
use std::fmt;

use contract::claim::PodUid;
use placement::Amount;

use super::holding::{Holding, State};
use super::node::NodeFacts;
use super::pod::PodId;
use super::{Entry, Ledger, Mark, compute};

/// Something that a ledger has otherwise than one that was filled from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// About which node.
    pub node: String,
    /// What.
    pub kind: DifferenceKind,
}

/// In what two ledgers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// In what the node is or has.
    Node,
    /// This pod holds something by the list alone.
    Missing(PodId),
    /// This pod holds something by the ledger alone.
    Left(PodId),
    /// This pod holds something else.
    Other(PodId),
    /// What is used of the devices is not what its pods hold together.
    Used,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = &self.node;
        match &self.kind {
            DifferenceKind::Node => write!(f, "node {node} has changed without a word"),
            DifferenceKind::Missing(pod) => write!(f, "pod {pod} was missing on node {node}"),
            DifferenceKind::Left(pod) => write!(f, "pod {pod} was left behind on node {node}"),
            DifferenceKind::Other(pod) => write!(f, "pod {pod} had another claim on node {node}"),
            DifferenceKind::Used => write!(f, "what is used of node {node} was summed up wrongly"),
        }
    }
}

impl Ledger {
    /// In what this differs from `listed`, which was filled from lists that were asked for at `since`. Nodes that have changed after
    /// that are left out, and so are pods that the API server has not shown yet.
    #[must_use]
    pub fn differences(&self, listed: &Self, since: Mark) -> Vec<Difference> {
        let names: BTreeSet<&String> = self.nodes.keys().chain(listed.nodes.keys()).collect();
        let mut all = Vec::new();
        for name in names {
            let unknown = Entry::default();
            let own = self.nodes.get(name).unwrap_or(&unknown);
            let other = listed.nodes.get(name).unwrap_or(&unknown);
            if own.changed <= since.0 {
                let kinds = self.kinds(own, listed, other);
                all.extend(kinds.into_iter().map(|kind| Difference { node: name.clone(), kind }));
            }
        }
        all
    }

    fn kinds(&self, own: &Entry, listed: &Self, other: &Entry) -> Vec<DifferenceKind> {
        let mut kinds = Vec::new();
        if unused(own) != unused(other) {
            kinds.push(DifferenceKind::Node);
        }
        let uids: BTreeSet<&PodUid> = own.pods.iter().chain(&other.pods).collect();
        kinds.extend(uids.into_iter().filter_map(|uid| difference(self.holding(uid), listed.holding(uid))));
        let mut again = own.clone();
        compute(&mut again, &self.pods);
        if again.facts != own.facts || again.closed != own.closed {
            kinds.push(DifferenceKind::Used);
        }
        kinds
    }
}

/// What is known of a node, as if nothing were used.
fn unused(entry: &Entry) -> Option<NodeFacts> {
    let mut facts = entry.facts.clone()?;
    if let Ok(offer) = &mut facts.offer {
        offer.node.devices.iter_mut().for_each(|device| device.used = Amount::default());
    }
    Some(facts)
}

fn difference(own: Option<&Holding>, listed: Option<&Holding>) -> Option<DifferenceKind> {
    let own = own.filter(|holding| holding.state == State::Bound || listed.is_some());
    // Claims that have been changed since they were first seen are none of the ledger's mistakes.
    let is_kept = |own: &Holding| own.claim().is_ok() && own.state > State::Assumed;
    match (own, listed) {
        (Some(own), None) => Some(DifferenceKind::Left(own.facts.id.clone())),
        (None, Some(listed)) => Some(DifferenceKind::Missing(listed.facts.id.clone())),
        (Some(own), Some(listed))
            if own.node != listed.node || own.claim() != listed.claim() && !is_kept(own) =>
        {
            Some(DifferenceKind::Other(listed.facts.id.clone()))
        }
        _ => None,
    }
}
