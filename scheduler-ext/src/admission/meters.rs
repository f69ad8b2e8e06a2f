//! What Prometheus is told of the webhook: what was asked, what became of it, how long it took, and until when its certificate is valid.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use super::certificates::served::Served;
use super::review::{Outcome, Question};

/// Where durations are counted: from a tenth of a millisecond to six seconds, in steps of two. API servers wait for five.
const SHORTEST: f64 = 0.0001;
const STEPS: u16 = 17;

/// All that is counted.
#[derive(Clone, Debug)]
pub struct Meters {
    reviews: Family<Review, Counter>,
    durations: Family<Asked, Histogram, fn() -> Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Review {
    question: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    question: &'static str,
}

impl Default for Meters {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(exponential_buckets(SHORTEST, 2.0, STEPS));
        Self { reviews: Family::default(), durations: Family::new_with_constructor(histogram) }
    }
}

impl Meters {
    /// Makes them, and the certificate that is `served`, a part of what is told.
    pub fn register(&self, registry: &mut Registry, served: &Arc<Served>) {
        // The library ends each of them with a full stop.
        let help = "Reviews that API servers asked for, by question and outcome";
        registry.register("webhook_reviews", help, self.reviews.clone());
        let help = "How long reviews took, from the first byte of the body to the answer";
        registry.register_with_unit("webhook_review_duration", help, Unit::Seconds, self.durations.clone());
        registry.register_collector(Box::new(Expiry(Arc::clone(served))));
    }

    /// A review was answered, or, without an outcome, could not be.
    pub(super) fn answered(&self, question: Question, outcome: Option<Outcome>, took: Duration) {
        let (question, outcome) = (question.word(), outcome.map_or("bad", Outcome::word));
        self.reviews.get_or_create(&Review { question, outcome }).inc();
        self.durations.get_or_create(&Asked { question }).observe(took.as_secs_f64());
    }
}

/// Until when the certificate is valid.
#[derive(Debug)]
struct Expiry(Arc<Served>);

impl Collector for Expiry {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some(until) = self.0.until() else { return Ok(()) };
        let (name, help) = (
            "webhook_certificate_expiry_timestamp",
            "When the certificate that is served ends, in seconds since 1970; absent without one.",
        );
        let metric = encoder.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Gauge)?;
        ConstGauge::new(until.as_secs_f64()).encode(metric)
    }
}
