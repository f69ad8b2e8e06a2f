//! What a metric is.

use crate::goal::Goal;
use anyhow::Result;
use benches::subject::Subject;

/// One metric, with an identifier of GPU-Virt-Bench's.
pub(crate) struct Metric {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
    /// What is measured here.
    pub(crate) measures: &'static str,
    /// Where the published suite measures something else.
    pub(crate) published: &'static str,
    pub(crate) lines: &'static [Line],
}

/// Which figure is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Better {
    Less,
    More,
    /// The one that is nearest to what was asked for.
    Nearest,
}

/// One of the cases in which a metric is measured.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// Measures once; the figure is in the metric's unit.
    pub(crate) probe: Probe,
    pub(crate) relation: Relation,
    pub(crate) goal: Option<Goal>,
    /// Whether a machine that has no time for the processes changes the figure.
    pub(crate) by_the_clock: bool,
    /// Why it is not measured on a card, if it is not.
    pub(crate) not_on_a_card: Option<&'static str>,
    /// Whether it is measured with `--quick`.
    pub(crate) quick: bool,
}

pub(crate) type Probe = fn(&Subject) -> Result<f64>;

/// What a figure has to do with the native one of the same round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is compared with it.
    Beside,
    /// It is told in percent of it.
    PercentOf,
    /// Natively there is none, for this reason.
    Apart(&'static str),
}

impl Line {
    /// A line that is compared with the native one and has no goal.
    pub(crate) const fn new(name: &'static str, probe: Probe) -> Self {
        Self {
            name,
            probe,
            relation: Relation::Beside,
            goal: None,
            by_the_clock: false,
            not_on_a_card: None,
            quick: false,
        }
    }

    pub(crate) const fn percent_of_native(self) -> Self {
        Self { relation: Relation::PercentOf, ..self }
    }

    /// Natively there is nothing to measure.
    pub(crate) const fn apart(self, reason: &'static str) -> Self {
        Self { relation: Relation::Apart(reason), ..self }
    }

    pub(crate) const fn goal(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// A busy machine changes the figure, so that no goal is judged on one.
    pub(crate) const fn by_the_clock(self) -> Self {
        Self { by_the_clock: true, ..self }
    }

    /// On a card there is nothing to measure.
    pub(crate) const fn simulated_only(self, reason: &'static str) -> Self {
        Self { not_on_a_card: Some(reason), ..self }
    }

    pub(crate) const fn quick(self) -> Self {
        Self { quick: true, ..self }
    }
}
