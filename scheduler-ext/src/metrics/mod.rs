//! What Prometheus is told: what was asked and how long that took, why nodes were refused, what became of binds, and how much of
//! each GPU is claimed.
//!
//! Values of labels are words of this program, and names of nodes and GPUs; nothing that a pod's author writes is one.

mod gpus;
mod labels;
mod leading;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use prometheus_client::encoding::prometheus_text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

pub use labels::{Reason, Request, Stage, Step, Verb, Word};
pub use leading::Leading;

use crate::extender::wire::Reasons;
use crate::ledger::SharedLedger;

/// Where durations are counted: from a tenth of a millisecond to half a minute, in steps of two.
const SHORTEST: f64 = 0.0001;
const STEPS: u16 = 19;

/// The reason of pods that ask for what nobody can have. Its text is their own.
const IMPOSSIBLE: &str = "request invalid";

type Durations = Family<Step, Histogram, fn() -> Histogram>;

/// All that is counted.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<Request, Counter>,
    durations: Durations,
    rejections: Family<Reason, Counter>,
    binds: Family<Word, Counter>,
    victims: Counter,
    differences: Counter,
    registry: Arc<Registry>,
}

impl Metrics {
    /// Counts from zero; what GPUs have is read from `ledger` whenever it is asked for.
    #[must_use]
    pub fn new(ledger: SharedLedger) -> Self {
        Self::with(ledger, |_| ())
    }

    /// The same, with what `add` registers of other parts.
    #[must_use]
    pub fn with(ledger: SharedLedger, add: impl FnOnce(&mut Registry)) -> Self {
        let (requests, rejections, binds) = (Family::default(), Family::default(), Family::default());
        let durations =
            Durations::new_with_constructor(|| Histogram::new(exponential_buckets(SHORTEST, 2.0, STEPS)));
        let (victims, differences) = (Counter::default(), Counter::default());
        // The library ends each help with a full stop.
        let mut registry = Registry::with_prefix("vgpu_scheduler");
        registry.register(
            "requests",
            "Requests of kube-scheduler, by what they ask and whether that was answered",
            requests.clone(),
        );
        let help = "How long requests took: all of it, and by what was done";
        registry.register_with_unit("request_duration", help, Unit::Seconds, durations.clone());
        registry.register(
            "node_rejections",
            "Nodes that were refused to a pod, by reason",
            rejections.clone(),
        );
        registry.register("binds", "Pods that were to be bound, by what became of it", binds.clone());
        let help = "Pods that were to go besides those that kube-scheduler proposed, so that another fits";
        registry.register("preemption_victims_added", help, victims.clone());
        let help =
            "Differences that were found between the ledger and what the API server has, and made good";
        registry.register("ledger_differences", help, differences.clone());
        registry.register_collector(Box::new(gpus::Gpus::new(ledger)));
        add(&mut registry);
        Self { requests, durations, rejections, binds, victims, differences, registry: Arc::new(registry) }
    }

    /// The text of all metrics.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }

    /// A request was answered, or it was not understood, or could not be.
    pub fn answered(&self, verb: Verb, is_error: bool) {
        let outcome = if is_error { "error" } else { "ok" };
        self.requests.get_or_create(&Request { verb: verb.name(), outcome }).inc();
    }

    /// A stage has ended that began at `since`.
    pub fn took(&self, verb: Verb, stage: Stage, since: Instant) {
        let step = Step { verb: verb.name(), stage: stage.name() };
        self.durations.get_or_create(&step).observe(since.elapsed().as_secs_f64());
    }

    /// Nodes were refused.
    pub fn refused(&self, reasons: &Reasons<'_>) {
        let mut counts: Vec<(&'static str, u64)> = Vec::new();
        for (_, reason) in &reasons.0 {
            let reason = match reason {
                std::borrow::Cow::Borrowed(phrase) => phrase,
                std::borrow::Cow::Owned(_) => IMPOSSIBLE,
            };
            match counts.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => counts.push((reason, 1)),
            }
        }
        for (reason, count) in counts {
            self.rejections.get_or_create(&Reason { reason }).inc_by(count);
        }
    }

    /// What became of a pod that was to be bound, in a word.
    pub fn bound(&self, outcome: &'static str) {
        self.binds.get_or_create(&Word { outcome }).inc();
    }

    /// Counts differences of the ledger.
    #[must_use]
    pub fn ledger_differences(&self) -> Counter {
        self.differences.clone()
    }

    /// So many more pods were to go.
    pub fn victims_added(&self, count: usize) {
        self.victims.inc_by(u64::try_from(count).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests;
