//! Which of several nodes is the best.

use placement::{Policy, Question, score};

use super::alike::Alike;
use super::filter::effort;
use super::wire::{HostPriority, Offer};
use crate::ledger::Ledger;
use crate::request::Ask;

/// The best of kube-scheduler's scale.
const BEST: i64 = 10;

/// The offered nodes that are better than others: 10 for the best by the pod's policy and all that are as good, 1 to 9 for the others,
/// as far as they are from the worst. Those with 0 are left out, which is the same for kube-scheduler: the worst, and where the pod does
/// not fit. Without a policy all are alike.
#[must_use]
pub fn prioritize<'a>(ledger: &Ledger, ask: &Ask, offer: Offer<'a>) -> Vec<HostPriority<'a>> {
    if ask.node_policy == Policy::None {
        return Vec::new();
    }
    let (mut question, mut effort, mut alike) = (Question::new(&ask.request), effort(), Alike::new(ask));
    let mut value = |name: &str| {
        let node = ledger.view(name).ok()?;
        let placement = question.place(node, &mut effort).ok()?;
        Some(score(node, &placement.peak(&ask.request), ask.node_policy))
    };
    let mut likenesses = ledger.likenesses(offer.names()).into_iter();
    let (_, values) = offer.split(|name| alike.of(likenesses.next().flatten(), || value(name)));
    let known = || values.iter().map(|(_, value)| *value);
    let (worst, best) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    let scored =
        values.into_iter().map(|(host, value)| HostPriority { host, score: rank(value, worst, best) });
    scored.filter(|priority| priority.score > 0).collect()
}

fn rank(value: u64, worst: u64, best: u64) -> i64 {
    if value == best {
        return BEST;
    }
    let below = (value - worst) * 9 / (best - worst);
    i64::try_from(below).unwrap_or(0)
}
