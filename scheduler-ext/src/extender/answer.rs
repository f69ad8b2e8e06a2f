//! Questions of kube-scheduler, answered from the ledger as it is.

use std::time::Instant;

use super::bind::{BindError, Binder, Seen};
use super::filter::{Avoid, Manner};
use super::patience::Patience;
use super::wire::{BindRequest, FilterAnswer, FilterRequest, HostPriority, PreemptAnswer, PreemptRequest};
use super::{filter, preempt, prioritize};
use crate::ledger::{Ledger, PodFacts, SharedLedger};
use crate::metrics::{Metrics, Stage, Verb};
use crate::request::Reader;
use crate::watch::Hearing;

/// How much the ledger hears of what happens.
pub type Hears = Box<dyn Fn() -> Hearing + Send + Sync>;

/// What is said until it has.
const NOT_FILLED: &str = "pods and nodes have not been listed yet: will be tried again";

/// What is said while it may be that room has come of which nothing has been heard.
const DOUBTFUL: &str =
    "no node fits, and not all is heard of pods and nodes at the moment: will be tried again";

/// What is said to a request without a pod.
const NO_POD: &str = "the request has no Pod";

/// Answers kube-scheduler.
pub struct Extender {
    /// Reads what pods ask for.
    pub reader: Reader,
    /// What is asked.
    pub ledger: SharedLedger,
    /// Binds.
    pub binder: Binder,
    /// Counts.
    pub metrics: Metrics,
    /// Whether there is an answer yet, and one that stands.
    pub hears: Hears,
    /// Where kube-scheduler offers a part of the nodes only: how often a pod is told to wait for another part.
    pub patience: Option<Patience>,
    /// Whether nodes are the last choice on which pods of the same controller could not start lately.
    pub avoids_setbacks: bool,
}

impl std::fmt::Debug for Extender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extender").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

impl Extender {
    /// On which of the offered nodes the pod fits. What it asks for is remembered for its bind, and what it is told for the next time.
    #[must_use]
    pub fn filter<'a>(&self, request: FilterRequest<'a>) -> FilterAnswer<'a> {
        let answer = self.judge(request, true);
        self.metrics.refused(&answer.failed_nodes);
        self.metrics.refused(&answer.failed_and_unresolvable_nodes);
        answer
    }

    /// The same, and nothing is remembered of it.
    #[must_use]
    pub fn try_out<'a>(&self, request: FilterRequest<'a>) -> FilterAnswer<'a> {
        self.judge(request, false)
    }

    fn judge<'a>(&self, request: FilterRequest<'a>, is_remembered: bool) -> FilterAnswer<'a> {
        let hearing = (self.hears)();
        if hearing == Hearing::Nothing {
            return FilterAnswer::error(NOT_FILLED.to_owned());
        }
        let Some(pod) = request.pod else { return FilterAnswer::error(NO_POD.to_owned()) };
        let facts = PodFacts::of(&pod);
        let ask = match self.reader.read(&pod) {
            Ok(ask) => ask,
            Err(error) => return filter::refuse_all(&error, request.offer),
        };
        if is_remembered && let Some(facts) = facts.clone() {
            self.binder.note(Seen { facts, ask: ask.clone() });
        }
        let Some(ask) = ask else { return FilterAnswer::of(request.offer) };
        let facts = facts.as_ref();
        let manner = self.manner(facts);
        let answer = self.ask(Verb::Filter, |ledger| match facts.and_then(|facts| placed(ledger, facts)) {
            Some(error) => FilterAnswer::error(error),
            None => filter::filter(ledger, &pod, &ask, request.offer, manner),
        });
        if hearing == Hearing::Doubtful && answer.fits_nowhere() {
            // A verdict would stand until something happens, and that may have happened already.
            return FilterAnswer::error(DOUBTFUL.to_owned());
        }
        if is_remembered && let Some((patience, facts)) = self.patience.as_ref().zip(facts) {
            patience.note(&facts.id.uid, !answer.error.is_empty());
        }
        answer
    }

    fn manner<'a>(&self, facts: Option<&'a PodFacts>) -> Manner<'a> {
        let controller = facts.and_then(|facts| facts.controller.as_deref());
        let avoid = controller
            .filter(|_| self.avoids_setbacks)
            .map(|controller| Avoid { controller, now: Instant::now() });
        let patience = self.patience.as_ref().zip(facts);
        Manner { avoid, is_sampled: patience.is_some_and(|(patience, facts)| patience.lasts(&facts.id.uid)) }
    }

    /// Which of the offered nodes are better than others.
    #[must_use]
    pub fn prioritize<'a>(&self, request: FilterRequest<'a>) -> Vec<HostPriority<'a>> {
        let ask = request.pod.as_ref().and_then(|pod| self.reader.read(pod).ok().flatten());
        let Some(ask) = ask else { return Vec::new() };
        self.ask(Verb::Prioritize, |ledger| prioritize::prioritize(ledger, &ask, request.offer))
    }

    /// Who has to go so that the pod fits. What cannot be answered is answered as it was asked.
    #[must_use]
    pub fn preempt(&self, request: &PreemptRequest) -> PreemptAnswer {
        let asked = request.victims();
        let ask = request.pod.as_ref().map(|pod| self.reader.read(pod));
        let facts = request.pod.as_ref().and_then(PodFacts::of);
        let (Some(pod), Some(Ok(Some(ask))), true) = (facts, &ask, (self.hears)() != Hearing::Nothing) else {
            // Nobody's end helps a pod that asks for what nobody can have.
            let nodes = if matches!(ask, Some(Err(_))) { Default::default() } else { asked };
            return PreemptAnswer { node_name_to_meta_victims: nodes };
        };
        let answer = self.ask(Verb::Preempt, |ledger| preempt::preempt(ledger, &pod, ask, asked.clone()));
        let added = answer.node_name_to_meta_victims.iter().map(|(node, victims)| {
            let proposed = asked.get(node).map_or(0, |asked| asked.pods.len());
            victims.pods.len().saturating_sub(proposed)
        });
        self.metrics.victims_added(added.sum());
        answer
    }

    /// Binds the pod.
    ///
    /// # Errors
    /// Why it is not bound, or that this is not known yet.
    pub async fn bind(&self, request: &BindRequest) -> Result<(), BindError> {
        self.binder.bind(request).await
    }

    fn ask<T>(&self, verb: Verb, question: impl FnOnce(&Ledger) -> T) -> T {
        let since = Instant::now();
        let answer = question(&self.ledger.read());
        self.metrics.took(verb, Stage::Ledger, since);
        answer
    }
}

/// Why no node is to be looked for: the pod has one.
fn placed(ledger: &Ledger, facts: &PodFacts) -> Option<String> {
    let holding = ledger.holding(&facts.id.uid)?;
    Some(format!("the pod has GPUs of node {} already: will be tried again", holding.node))
}
