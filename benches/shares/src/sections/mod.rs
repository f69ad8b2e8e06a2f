//! What is judged, one file a question.

mod accuracy;
mod misfortune;
mod priority;
mod settle;
mod tenants;
mod turnover;

use crate::limiter::Kind;
use crate::report::Section;

/// The limiter that is judged; the others are there for comparison.
const LIMITER: Kind = Kind::Bucket;

/// Every section, in the order of the table.
pub(crate) fn all() -> Vec<Section> {
    [
        accuracy::sections(),
        settle::sections(),
        tenants::sections(),
        turnover::sections(),
        priority::sections(),
        misfortune::sections(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
