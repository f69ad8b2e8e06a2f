//! Why a pod waits, in words for whoever made it; by the same code that places it.

mod asks;
mod help;
mod nodes;
mod pod;

use std::collections::BTreeMap;
use std::fmt;

use placement::{Effort, Node, Question};
use serde::Serialize;

use crate::ledger::NodeFault;
use crate::request::Ask;
pub use asks::asks;
pub use nodes::{Gpu, NodeLine, Nodes};
pub use pod::{Explanation, Verdict, views};

/// A node as pods find it: its devices, or why it takes none.
pub type View<'a> = Result<&'a Node, &'a NodeFault>;

/// How many names of nodes are told for one reason.
const NAMED: usize = 5;

/// Where a pod that waits could go, and where not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// What it asks for, one line a container.
    pub asks: Vec<String>,
    /// Nodes that would take it.
    pub fits: Vec<String>,
    /// Nodes that do not, by reason.
    pub refusals: BTreeMap<String, Vec<Refused>>,
    /// Changes of the pod each of which alone would make it fit somewhere.
    pub helps: Vec<String>,
}

/// A node that does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Its name.
    pub node: String,
    /// What is missing there.
    pub detail: String,
}

impl Waiting {
    /// What becomes of `ask` on these nodes.
    #[must_use]
    pub fn new(ask: &Ask, nodes: &[(&str, View<'_>)]) -> Self {
        let usable: Vec<(&str, &Node)> =
            nodes.iter().filter_map(|(name, view)| Some((*name, *view.as_ref().ok()?))).collect();
        let unit = unit(usable.iter().map(|(_, node)| node.memory_factor));
        let (asks, helps) = (asks(ask, &unit), Vec::new());
        let mut waiting = Self { asks, fits: Vec::new(), refusals: BTreeMap::new(), helps };
        let (mut question, mut effort) = (Question::new(&ask.request), Effort::default());
        for (name, view) in nodes {
            let name = (*name).to_owned();
            match view {
                Err(fault) => waiting.refuse(fault.phrase().to_owned(), name, fault.to_string()),
                Ok(node) => match question.fits(node, &mut effort) {
                    Ok(()) => waiting.fits.push(name),
                    Err(refusal) => waiting.refuse(refusal.phrase().to_owned(), name, refusal.to_string()),
                },
            }
        }
        if waiting.fits.is_empty() {
            waiting.helps = help::helps(&ask.request, &usable, &unit);
        }
        waiting
    }

    fn refuse(&mut self, reason: String, node: String, detail: String) {
        self.refusals.entry(reason).or_default().push(Refused { node, detail });
    }

    fn count(&self) -> usize {
        self.fits.len() + self.refusals.values().map(Vec::len).sum::<usize>()
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "It asks for:")?;
        self.asks.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        writeln!(f, "{} of {} nodes would take it{}", self.fits.len(), self.count(), names(&self.fits))?;
        let mut reasons: Vec<_> = self.refusals.iter().collect();
        reasons.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
        for (reason, nodes) in reasons {
            let of: Vec<String> = nodes.iter().map(|refused| refused.node.clone()).collect();
            writeln!(f, "  {:>5}  {reason}{}", nodes.len(), names(&of))?;
            // One node in detail stands for the others.
            if let Some(first) = nodes.first().filter(|first| first.detail != *reason) {
                writeln!(f, "         {}: {}", first.node, first.detail)?;
            }
        }
        if !self.fits.is_empty() {
            return writeln!(
                f,
                "It will be placed there unless kube-scheduler has other reasons against it: kubectl describe pod"
            );
        }
        if self.helps.is_empty() {
            return writeln!(
                f,
                "No single change of the pod would help: it waits until GPUs are given back."
            );
        }
        writeln!(f, "Any one of these would help:")?;
        self.helps.iter().try_for_each(|line| writeln!(f, "  - {line}"))
    }
}

/// In what pods ask for memory, by the factors of all nodes.
fn unit(mut factors: impl Iterator<Item = u64>) -> String {
    let first = factors.next().unwrap_or(1);
    match (factors.all(|factor| factor == first), first) {
        (true, 1) => "MiB".to_owned(),
        (true, factor) => format!("units of {factor} MiB"),
        (false, _) => "units of memoryFactor MiB".to_owned(),
    }
}

/// `: a, b and 3 more`, or nothing.
fn names(all: &[String]) -> String {
    let shown = all.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMED) {
        0 if all.is_empty() => String::new(),
        0 => format!(": {shown}"),
        more => format!(": {shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
