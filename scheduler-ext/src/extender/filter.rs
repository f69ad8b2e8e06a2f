//! On which of the offered nodes a pod fits.

use std::borrow::Cow;
use std::time::Instant;

use placement::{Effort, Obstacle, Question, Refusal};

use super::alike::Alike;
use super::elsewhere;
use super::wire::{FilterAnswer, Offer, Reasons};
use crate::api::Pod;
use crate::ledger::{Ledger, Likeness, PodFacts};
use crate::request::{Ask, AskError};

/// Sets of devices that are tried for one question, all nodes together: a tenth of a second.
const SETS: u64 = 100_000;

/// kube-scheduler offers at least so many nodes of those that there are: fewer are all that it had to offer.
const SAMPLE: usize = 100;

/// What is tried for one question.
pub(super) const fn effort() -> Effort {
    Effort::shared(SETS)
}

/// What is said of a node on which pods of the same controller could not start lately.
const SETBACK: &str = "GPUs could not be had here recently";

/// Nodes that are the last choice: where pods of a controller could not start lately.
#[derive(Clone, Copy, Debug)]
pub struct Avoid<'a> {
    /// The controller's uid.
    pub controller: &'a str,
    /// The moment of the question.
    pub now: Instant,
}

/// What else there is to know for an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner<'a> {
    /// Nodes that are the last choice.
    pub avoid: Option<Avoid<'a>>,
    /// Whether a node that was not offered may be one that kube-scheduler offers at another try. Otherwise it has reasons of its own
    /// against those.
    pub is_sampled: bool,
}

/// Those of the offered nodes on which the pod fits, and why it does not on the others: in the same words for all nodes with the
/// same reason, so that kube-scheduler can count them. It may preempt pods for reasons that another pod's end would mend.
#[must_use]
pub fn filter<'a>(
    ledger: &Ledger,
    pod: &Pod,
    ask: &Ask,
    offer: Offer<'a>,
    manner: Manner<'_>,
) -> FilterAnswer<'a> {
    let mut asker = Asker::new(ledger, pod, ask);
    let offered = offer.len();
    let mut likenesses = ledger.likenesses(offer.names()).into_iter();
    let (fitting, refused) = offer.split(|name| asker.on_node(name, likenesses.next().flatten()).err());
    if manner.is_sampled && fitting.is_empty() && offered >= SAMPLE {
        let refused = refused.iter().map(|(name, _)| name.as_ref()).collect();
        if let Some(node) = elsewhere::find(&mut asker, &refused) {
            let error = format!("0 of {offered} offered nodes fit, {node} does: will be tried again");
            return FilterAnswer::error(error);
        }
    }
    let (mut failed, mut hopeless) = (Reasons::default(), Reasons::default());
    for (name, unfit) in refused {
        let reasons = if unfit.is_final { &mut hopeless } else { &mut failed };
        reasons.0.push((name, Cow::Borrowed(unfit.phrase)));
    }
    let fitting = match manner.avoid {
        Some(avoid) => last_choice(ledger, avoid, fitting, &mut failed),
        None => fitting,
    };
    FilterAnswer {
        failed_nodes: failed,
        failed_and_unresolvable_nodes: hopeless,
        ..FilterAnswer::of(fitting)
    }
}

/// Leaves out the nodes that are the last choice, if there is another one.
fn last_choice<'a>(
    ledger: &Ledger,
    avoid: Avoid<'_>,
    fitting: Offer<'a>,
    failed: &mut Reasons<'a>,
) -> Offer<'a> {
    let is_avoided = |name: &str| ledger.had_setback(avoid.controller, name, avoid.now);
    if fitting.names().all(is_avoided) {
        return fitting;
    }
    let (kept, avoided) = fitting.split(|name| is_avoided(name).then_some(Cow::Borrowed(SETBACK)));
    failed.0.extend(avoided);
    kept
}

/// All of the offered nodes refused: the pod asks for what nobody can have.
#[must_use]
pub fn refuse_all<'a>(error: &AskError, offer: Offer<'a>) -> FilterAnswer<'a> {
    let text = error.to_string();
    let (none, all) = offer.split(|_| Some(Cow::Owned(text.clone())));
    FilterAnswer { failed_and_unresolvable_nodes: Reasons(all), ..FilterAnswer::of(none) }
}

/// Why a node does not take a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    /// In the same words for all nodes.
    pub phrase: &'static str,
    /// Whether it would not either if other pods were gone.
    pub is_final: bool,
}

/// Asks one node after the other whether a pod fits there now.
pub(super) struct Asker<'a> {
    pub ledger: &'a Ledger,
    pub pod: &'a Pod,
    facts: Option<PodFacts>,
    question: Question<'a>,
    effort: Effort,
    /// Effort only shrinks: who was refused for want of it would be refused again.
    alike: Alike<Result<(), Unfit>>,
}

impl<'a> Asker<'a> {
    fn new(ledger: &'a Ledger, pod: &'a Pod, ask: &'a Ask) -> Self {
        let (question, alike) = (Question::new(&ask.request), Alike::new(ask));
        Self { ledger, pod, facts: PodFacts::of(pod), question, effort: effort(), alike }
    }

    pub(super) fn on_node(&mut self, node: &str, likeness: Option<Likeness>) -> Result<(), Unfit> {
        let Self { ledger, facts, question, effort, alike, .. } = self;
        alike.of(likeness, || {
            let devices =
                ledger.view(node).map_err(|fault| Unfit { phrase: fault.phrase(), is_final: true })?;
            let with_others = ledger.view_for(node, devices, facts.as_ref(), effort);
            question
                .fits(with_others.as_ref().unwrap_or(devices), effort)
                .map_err(|refusal| Unfit { phrase: refusal.phrase(), is_final: is_final(&refusal) })
        })
    }
}

fn is_final(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::NoDevices | Refusal::MemoryKind(_) => true,
        Refusal::Container { wanted, fitting, obstacles, .. } => {
            let lasts = |obstacle: &Obstacle| match obstacle {
                Obstacle::Unhealthy | Obstacle::Mig | Obstacle::Model | Obstacle::Uuid => true,
                Obstacle::Exclusive
                | Obstacle::InUse
                | Obstacle::Slots
                | Obstacle::Memory
                | Obstacle::Cores => false,
            };
            let passing = obstacles.iter().filter(|(obstacle, _)| !lasts(obstacle)).map(|(_, count)| count);
            fitting + passing.sum::<usize>() < *wanted
        }
        Refusal::Topology { .. } | Refusal::Together | Refusal::Effort => false,
    }
}
