//! Metrics of the agent itself.

use std::time::Duration;

use super::text::Kind::{Counter, Gauge};
use super::text::{Measured, Metric, Value};
use crate::inventory::Driver;

/// The agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// When it was started, since 1970.
    pub started: Duration,
    /// Whether the driver has told what is used.
    pub driver_answers: bool,
    /// How long it took to find out all that is said here.
    pub scrape: Duration,
}

impl Measured for Agent {
    const LABELS: &'static [&'static str] = &[];
    const METRICS: &'static [Metric<Self>] = &[
        Metric {
            name: "process_start_time_seconds",
            kind: Gauge,
            help: "When the agent was started, in seconds since 1970.",
            value: |agent| Some(Value::Seconds(agent.started)),
        },
        Metric {
            name: "vgpu_agent_driver_answers",
            kind: Gauge,
            help: "1: the driver has told what is used. 0: it did not, within two seconds; what it would have told is missing.",
            value: |agent| Some(Value::of(agent.driver_answers)),
        },
        Metric {
            name: "vgpu_agent_scrape_duration_seconds",
            kind: Gauge,
            help: "How long it took to find out what this page says.",
            value: |agent| Some(Value::Seconds(agent.scrape)),
        },
    ];

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What is installed.
#[derive(Clone, Debug)]
pub struct Build {
    /// The version of the library for containers that are created from now on.
    pub library: String,
    /// What the driver says about itself.
    pub driver: Driver,
}

impl Measured for Build {
    const LABELS: &'static [&'static str] = &["version", "library_version", "driver_version", "cuda_version"];
    const METRICS: &'static [Metric<Self>] = &[Metric {
        name: "vgpu_agent_build_info",
        kind: Gauge,
        help: "Versions of the agent, of the library for containers that are created from now on, of the driver, and the newest CUDA that it runs; always 1.",
        value: |_| Some(Value::Whole(1)),
    }];

    fn labels(&self) -> Vec<String> {
        let (major, minor) = self.driver.cuda;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        vec![version, self.library.clone(), self.driver.version.clone(), format!("{major}.{minor}")]
    }
}

/// A call of kubelet's.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Which.
    pub name: &'static str,
    /// How often it was answered as wanted.
    pub count: u64,
}

impl Measured for Call {
    const LABELS: &'static [&'static str] = &["call"];
    const METRICS: &'static [Metric<Self>] = &[Metric {
        name: "vgpu_agent_kubelet_calls_total",
        kind: Counter,
        help: "Calls of kubelet's that were answered as wanted: Allocate, PreStartContainer.",
        value: |call| Some(Value::Whole(call.count)),
    }];

    fn labels(&self) -> Vec<String> {
        vec![self.name.to_owned()]
    }
}

/// A way in which a call of kubelet's fails.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Which call.
    pub call: &'static str,
    /// Why.
    pub reason: &'static str,
    /// How often.
    pub count: u64,
}

impl Measured for Failure {
    const LABELS: &'static [&'static str] = &["call", "reason"];
    const METRICS: &'static [Metric<Self>] = &[Metric {
        name: "vgpu_agent_kubelet_call_failures_total",
        kind: Counter,
        help: "Calls of kubelet's that failed, by reason; it asks again.",
        value: |failure| Some(Value::Whole(failure.count)),
    }];

    fn labels(&self) -> Vec<String> {
        vec![self.call.to_owned(), self.reason.to_owned()]
    }
}

/// Something that has to be so for the agent to be ready.
#[derive(Clone, Copy, Debug)]
pub struct Fulfilled {
    /// Its name.
    pub name: &'static str,
    /// Whether it is so.
    pub is_so: bool,
}

impl Measured for Fulfilled {
    const LABELS: &'static [&'static str] = &["condition"];
    const METRICS: &'static [Metric<Self>] = &[Metric {
        name: "vgpu_agent_condition_fulfilled",
        kind: Gauge,
        help: "1: this condition for giving out slices is fulfilled. 0: it is not; /readyz says why.",
        value: |condition| Some(Value::of(condition.is_so)),
    }];

    fn labels(&self) -> Vec<String> {
        vec![self.name.to_owned()]
    }
}
