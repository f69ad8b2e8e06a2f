//! The metrics, one file a subject.

mod isolation;
mod omitted;
mod overhead;
mod pressure;
mod probes;
mod progress;
mod scheduling;
mod shares;

pub(crate) use omitted::OMITTED;

use crate::metric::Metric;

/// Every metric, category by category.
pub(crate) fn all() -> Vec<Metric> {
    let mut isolation: Vec<Metric> = isolation::METRICS.into_iter().chain(shares::METRICS).collect();
    isolation.sort_by_key(|metric| metric.id);
    let rest = scheduling::METRICS.into_iter().chain(pressure::METRICS);
    overhead::METRICS.into_iter().chain(isolation).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_metric_has_an_identifier_of_its_own_and_a_line() {
        let all = all();
        let identifiers: BTreeSet<_> = all.iter().map(|metric| metric.id).collect();
        assert_eq!(identifiers.len(), all.len());
        assert!(all.iter().all(|metric| !metric.lines.is_empty()));
        assert!(OMITTED.iter().all(|omitted| !identifiers.contains(omitted.id)));
    }

    #[test]
    fn a_quick_run_has_something_of_each_category_but_fragmentation() {
        let quick = |category: &str| {
            all().iter().any(|metric| metric.id.starts_with(category) && metric.lines.iter().any(|l| l.quick))
        };
        assert!(["OH", "IS", "SCHED", "ERR"].into_iter().all(quick));
    }
}
