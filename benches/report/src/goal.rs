//! What the project wants to reach: the rows of the table in docs/performance.md.

use crate::figure::Measured;
use benches::work::Place;
use serde::Serialize;
use std::fmt;

/// What a line is judged by.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    /// Of the table of goals.
    pub(crate) row: u32,
    simulated: Bound,
    card: Bound,
}

/// What a figure has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// At most so much more than natively.
    Added(f64),
    /// At most so many times what it is natively.
    Times(f64),
    AtMost(f64),
    AtLeast(f64),
    /// The second number away from the first one at most.
    Near(f64, f64),
}

/// How a figure was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Reached,
    Missed,
    /// The machine was too busy to say.
    Inconclusive,
}

impl Goal {
    /// The same wherever it is measured.
    pub(crate) const fn of(row: u32, bound: Bound) -> Self {
        Self { row, simulated: bound, card: bound }
    }

    /// Another one on a card.
    pub(crate) const fn or_on_a_card(self, card: Bound) -> Self {
        Self { card, ..self }
    }

    pub(crate) const fn bound(&self, place: Place) -> Bound {
        match place {
            Place::Simulated => self.simulated,
            Place::Card => self.card,
        }
    }
}

impl Bound {
    /// `None` where there is nothing to compare with.
    pub(crate) fn judge(self, measured: &Measured) -> Option<Verdict> {
        let figure = measured.spread.median;
        let is_reached = match self {
            Self::Added(most) => measured.added? <= most,
            Self::Times(most) => measured.ratio? <= most,
            Self::AtMost(most) => figure <= most,
            Self::AtLeast(least) => figure >= least,
            Self::Near(wanted, within) => (figure - wanted).abs() <= within,
        };
        Some(if is_reached { Verdict::Reached } else { Verdict::Missed })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(most) => write!(f, "at most {most} added"),
            Self::Times(most) => write!(f, "at most {most} times native"),
            Self::AtMost(most) => write!(f, "at most {most}"),
            Self::AtLeast(least) => write!(f, "at least {least}"),
            Self::Near(wanted, within) => write!(f, "{wanted} ± {within}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Relation;

    #[test]
    fn a_figure_is_judged_by_what_its_bound_is_about() {
        let measured = Measured::of(&[30.0, 31.0, 35.0], Some(&[20.0, 20.0, 20.0]), Relation::Beside);
        let judged = |bound: Bound| bound.judge(&measured) == Some(Verdict::Reached);
        assert!(judged(Bound::Added(11.0)) && !judged(Bound::Added(10.9)));
        assert!(judged(Bound::Times(1.55)) && !judged(Bound::Times(1.5)));
        assert!(judged(Bound::AtMost(31.0)) && !judged(Bound::AtMost(30.9)));
        assert!(judged(Bound::AtLeast(31.0)) && !judged(Bound::AtLeast(31.1)));
        assert!(judged(Bound::Near(30.0, 1.0)) && !judged(Bound::Near(29.0, 1.0)));
        assert_eq!(Bound::Added(1.0).judge(&Measured::of(&[1.0], None, Relation::Beside)), None);
    }
}
