//! Which of several nodes is the best.

use placement::{Policy, Question, score};

use super::filter::effort;
use super::wire::{HostPriority, Offer};
use crate::ledger::Ledger;
use crate::request::Ask;

/// The best of kube-scheduler's scale.
const BEST: i64 = 10;

/// A priority for each of the offered nodes: 10 for the best by the pod's policy and all that are as good, 0 to 9 for the others, as far
/// as they are from the worst, and 0 where the pod does not fit. Without a policy all are alike.
#[must_use]
pub fn prioritize(ledger: &Ledger, ask: &Ask, offer: &Offer) -> Vec<HostPriority> {
    let (mut question, mut effort) = (Question::new(&ask.request), effort());
    let mut value = |name: &str| {
        let node = ledger.view(name).ok()?;
        let placement = question.place(node, &mut effort).ok()?;
        Some(score(node, &placement.peak(&ask.request), ask.node_policy))
    };
    let has_policy = ask.node_policy != Policy::None;
    let values: Vec<_> =
        offer.names().map(|name| (name, has_policy.then(|| value(name)).flatten())).collect();
    let known = || values.iter().filter_map(|(_, value)| *value);
    let (worst, best) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    let score = |value: Option<u64>| value.map_or(0, |value| rank(value, worst, best));
    values
        .iter()
        .map(|(host, value)| HostPriority { host: (*host).to_owned(), score: score(*value) })
        .collect()
}

/// None of the offered nodes is better than another.
#[must_use]
pub fn all_alike(offer: &Offer) -> Vec<HostPriority> {
    offer.names().map(|host| HostPriority { host: host.to_owned(), score: 0 }).collect()
}

fn rank(value: u64, worst: u64, best: u64) -> i64 {
    if value == best {
        return BEST;
    }
    let below = (value - worst) * 9 / (best - worst);
    i64::try_from(below).unwrap_or(0)
}
