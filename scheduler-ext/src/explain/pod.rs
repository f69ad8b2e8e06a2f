//! What there is to say of one pod.

use std::fmt;

use contract::Foreign;
use contract::claim::{Claim, ClaimedDevice, PodUid};
use placement::{Effort, Node};
use serde::Serialize;

use super::{View, Waiting};
use crate::api::Pod;
use crate::ledger::{Holding, Ledger, PodFacts};
use crate::request::{Ask, Reader};

/// A pod, and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Namespace and name.
    pub pod: String,
    /// What has become of it.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What it says that is probably a mistake, while that can matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// What has become of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "verdict")]
pub enum Verdict {
    /// It asks for no slice.
    AsksForNothing,
    /// It asks for what nobody can have.
    Impossible {
        /// All that is wrong.
        faults: Vec<String>,
    },
    /// All of its containers have ended for good.
    Over,
    /// It is bound to a node that has given it nothing.
    WithoutClaim {
        /// The node.
        node: String,
    },
    /// It has its devices.
    Placed {
        /// The node.
        node: String,
        /// What it has, one line a device.
        devices: Vec<String>,
    },
    /// It waits for a scheduler that gives out none.
    Elsewhere {
        /// That scheduler.
        scheduler: String,
        /// The one that does.
        ours: String,
    },
    /// It has none yet.
    Waiting(Waiting),
}

impl Explanation {
    /// Of `pod`, by what the ledger knows. `ours` is the scheduler that gives out slices.
    #[must_use]
    pub fn new(pod: &Pod, ours: &str, reader: &Reader, ledger: &Ledger) -> Self {
        let metadata = &pod.metadata;
        let [namespace, name] =
            [&metadata.namespace, &metadata.name].map(|part| part.as_deref().unwrap_or("?"));
        let verdict = verdict(pod, ours, reader, ledger);
        let is_settled = matches!(verdict, Verdict::Over | Verdict::Placed { .. });
        let doubts = if is_settled { Vec::new() } else { reader.doubts(pod) };
        Self { pod: format!("{namespace}/{name}"), verdict, doubts }
    }
}

fn verdict(pod: &Pod, ours: &str, reader: &Reader, ledger: &Ledger) -> Verdict {
    let uid: Option<PodUid> = pod.metadata.uid.as_deref().and_then(|uid| uid.parse().ok());
    if pod.is_over() {
        return Verdict::Over;
    }
    if let Some(holding) = uid.and_then(|uid| ledger.holding(&uid)) {
        let has_claim = holding.claim().is_ok() || pod.annotation(&reader.domain.claim()).is_some();
        return if has_claim {
            placed(holding)
        } else {
            Verdict::WithoutClaim { node: holding.node.clone() }
        };
    }
    let ask = match reader.read(pod) {
        Ok(None) => return Verdict::AsksForNothing,
        Err(error) => {
            return Verdict::Impossible { faults: error.0.iter().map(ToString::to_string).collect() };
        }
        Ok(Some(ask)) => ask,
    };
    let theirs = pod.spec.scheduler_name.as_deref().filter(|name| *name != ours);
    match (pod.spec.node_name.clone().filter(|node| !node.is_empty()), theirs) {
        (Some(node), _) => Verdict::WithoutClaim { node },
        (None, Some(theirs)) => Verdict::Elsewhere { scheduler: theirs.to_owned(), ours: ours.to_owned() },
        (None, None) => Verdict::Waiting(waiting(pod, &ask, ledger)),
    }
}

/// Nodes as filter sees them for this pod: with what others are to have there that go before it.
fn waiting(pod: &Pod, ask: &Ask, ledger: &Ledger) -> Waiting {
    let (views, facts, mut effort) = (views(ledger), PodFacts::of(pod), Effort::default());
    let mut with_others =
        |name: &str, view: View<'_>| ledger.view_for(name, view.ok()?, facts.as_ref(), &mut effort);
    let with_others: Vec<Option<Node>> = views.iter().map(|(name, view)| with_others(name, *view)).collect();
    let views = views.into_iter().zip(&with_others);
    let views: Vec<_> = views.map(|((name, view), node)| (name, node.as_ref().map_or(view, Ok))).collect();
    Waiting::new(ask, &views)
}

fn placed(holding: &Holding) -> Verdict {
    let devices = match holding.claim() {
        Ok(claim) => lines(claim),
        Err(fault) => vec![format!("its claim cannot be read: {fault}")],
    };
    Verdict::Placed { node: holding.node.clone(), devices }
}

fn lines(claim: &Claim) -> Vec<String> {
    let line = |name: &dyn fmt::Display, device: &ClaimedDevice| {
        let cores = device.cores.map_or_else(
            || "time without a limit".to_owned(),
            |share| format!("{} % of its time", share.get()),
        );
        format!("container {name}: {} of {}, {cores}", device.memory, device.uuid)
    };
    let all = claim.containers().iter();
    all.flat_map(|(name, devices)| devices.iter().map(move |device| line(name, device))).collect()
}

/// All nodes, by their names.
#[must_use]
pub fn views(ledger: &Ledger) -> Vec<(&str, View<'_>)> {
    let mut views: Vec<_> = ledger.nodes().map(|node| (node.facts.name.as_str(), node.devices)).collect();
    views.sort_by_key(|(name, _)| *name);
    views
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pod = &self.pod;
        match &self.verdict {
            Verdict::AsksForNothing => writeln!(f, "{pod} asks for no slice of a GPU."),
            Verdict::Impossible { faults } => {
                writeln!(f, "{pod} asks for what no node can give:")?;
                faults.iter().try_for_each(|fault| writeln!(f, "  - {fault}"))
            }
            Verdict::Over => writeln!(f, "{pod} is over, and holds nothing."),
            Verdict::WithoutClaim { node } => writeln!(
                f,
                "{pod} is bound to {node} without a claim, so its containers cannot start there: something else than the \
                 scheduler of vGPUs has bound it. Make it anew, without nodeName and with that scheduler's name."
            ),
            Verdict::Elsewhere { scheduler, ours } => writeln!(
                f,
                "{pod} waits for the scheduler {}, and only {ours} gives out slices. Make it anew, with schedulerName: {ours} or \
                 without any.",
                Foreign(scheduler)
            ),
            Verdict::Placed { node, devices } => {
                writeln!(f, "{pod} is on {node} and has:")?;
                devices.iter().try_for_each(|line| writeln!(f, "  {line}"))
            }
            Verdict::Waiting(waiting) => write!(f, "{pod} waits for a node.\n{waiting}"),
        }?;
        if !self.doubts.is_empty() {
            writeln!(f, "Probably a mistake:")?;
        }
        self.doubts.iter().try_for_each(|doubt| writeln!(f, "  - {doubt}"))
    }
}
