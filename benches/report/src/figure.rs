//! What the rounds of one line gave for one interposer.

use crate::metric::Relation;
use serde::Serialize;

/// The middle and the range of a few figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Of at least one figure; the lower one of two in the middle.
    pub(crate) fn of(figures: &[f64]) -> Self {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
        let last = sorted.len().saturating_sub(1);
        Self { median: at(last / 2), least: at(0), most: at(last) }
    }
}

/// Figures, and what they are beside the native ones of the same rounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Measured {
    /// One figure a round.
    pub(crate) rounds: Vec<f64>,
    #[serde(flatten)]
    pub(crate) spread: Spread,
    /// The median of the rounds' ratios to the native figure.
    pub(crate) ratio: Option<f64>,
    /// The median of the rounds' differences from it.
    pub(crate) added: Option<f64>,
}

impl Measured {
    /// Compares round by round, because two neighbours in time had the same machine.
    pub(crate) fn of(figures: &[f64], native: Option<&[f64]>, relation: Relation) -> Self {
        let compared = |compare: fn(f64, f64) -> f64| -> Option<Vec<f64>> {
            let native = native?;
            Some(figures.iter().zip(native).map(|(figure, native)| compare(*figure, *native)).collect())
        };
        let of_native = compared(|figure, native| figure / native);
        let added = compared(|figure, native| figure - native);
        let rounds = match (relation, &of_native) {
            (Relation::PercentOf, Some(ratios)) => ratios.iter().map(|ratio| 100.0 * ratio).collect(),
            _ => figures.to_vec(),
        };
        let median =
            |figures: Vec<f64>| Some(Spread::of(&figures).median).filter(|median| median.is_finite());
        Self {
            spread: Spread::of(&rounds),
            rounds,
            ratio: of_native.and_then(median),
            added: added.filter(|_| relation == Relation::Beside).and_then(median),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_round_falls_on_both_and_changes_no_ratio() {
        let measured = Measured::of(&[12.0, 120.0, 13.0], Some(&[10.0, 100.0, 10.0]), Relation::Beside);
        assert_eq!((measured.ratio, measured.added), (Some(1.2), Some(3.0)));
        assert_eq!(measured.spread, Spread { median: 13.0, least: 12.0, most: 120.0 });
    }

    #[test]
    fn a_rate_is_told_in_percent_of_the_native_one() {
        let measured = Measured::of(&[30.0, 31.0], Some(&[100.0, 100.0]), Relation::PercentOf);
        assert_eq!(measured.rounds, [30.0, 31.0]);
        assert_eq!((measured.ratio, measured.added), (Some(0.3), None));
    }

    #[test]
    fn without_a_native_figure_there_is_no_ratio() {
        let measured = Measured::of(&[5.0], None, Relation::Apart("no limit"));
        assert_eq!((measured.ratio, measured.added, measured.spread.median), (None, None, 5.0));
        assert_eq!(Measured::of(&[0.0], Some(&[0.0]), Relation::Beside).ratio, None);
    }
}
