//! The results as they are written: docs/benchmarks.md says what each member is.

use crate::figure::Measured;
use crate::goal::Verdict;
use serde::Serialize;
use std::path::PathBuf;

/// One run.
#[derive(Serialize)]
pub(crate) struct Document {
    pub(crate) schema: &'static str,
    pub(crate) command: Vec<String>,
    /// When it began, in UTC.
    pub(crate) began: String,
    pub(crate) seconds: u64,
    /// `sim` or `card`.
    pub(crate) on: &'static str,
    /// Its name, and the versions of CUDA and of the driver.
    pub(crate) device: String,
    /// Cores and processor.
    pub(crate) machine: String,
    /// Threads that wanted to run in the minute before it began, which were others'.
    pub(crate) load: Option<f64>,
    pub(crate) rounds: usize,
    pub(crate) interposers: Vec<Subject>,
    pub(crate) metrics: Vec<Metric>,
    /// Metrics of the published suite that are not measured.
    pub(crate) omitted: Vec<Omitted>,
}

/// An interposer.
#[derive(Serialize)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) library: Option<PathBuf>,
    pub(crate) environment: Vec<(String, String)>,
}

/// A metric, with all that was measured of it.
#[derive(Serialize)]
pub(crate) struct Metric {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: &'static str,
    pub(crate) measures: &'static str,
    pub(crate) published: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A case of a metric.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) goal: Option<Goal>,
    pub(crate) figures: Vec<Figure>,
}

/// What this project wants to reach.
#[derive(Serialize)]
pub(crate) struct Goal {
    /// Of the table in docs/performance.md.
    pub(crate) row: u32,
    pub(crate) text: String,
}

/// What was measured for one interposer.
#[derive(Serialize)]
pub(crate) struct Figure {
    pub(crate) interposer: String,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

/// A figure, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Outcome {
    Measured {
        #[serde(flatten)]
        measured: Measured,
        verdict: Option<Verdict>,
    },
    Absent {
        reason: String,
    },
}

/// A metric that is not measured, and why.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Omitted {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
}

impl Document {
    /// How many figures were judged so.
    pub(crate) fn count(&self, wanted: Verdict) -> usize {
        let lines = self.metrics.iter().flat_map(|metric| &metric.lines);
        let figures = lines.flat_map(|line| &line.figures);
        figures
            .filter(|figure| {
                matches!(figure.outcome, Outcome::Measured { verdict: Some(verdict), .. } if verdict == wanted)
            })
            .count()
    }
}

impl Line {
    /// Names of the interposers whose figures miss the goal.
    pub(crate) fn missed_by(&self) -> impl Iterator<Item = &str> {
        let missed = |figure: &&Figure| {
            matches!(figure.outcome, Outcome::Measured { verdict: Some(Verdict::Missed), .. })
        };
        self.figures.iter().filter(missed).map(|figure| figure.interposer.as_str())
    }
}
