//! Who has to go so that a pod fits.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use contract::claim::PodUid;
use placement::{Effort, Question};

use super::filter::effort;
use super::wire::{MetaPod, MetaVictims, PreemptAnswer};
use crate::ledger::{Holding, Ledger, PodFacts, State};
use crate::request::Ask;

/// Of the nodes that kube-scheduler would clear of some pods, those on which the pod fits then, if need be with more pods gone: pods of
/// less importance than `pod` that hold GPUs there, the least important first, of equals the youngest. Nodes on which it fits
/// without anybody going are left out, as kube-scheduler takes a node without victims for an error.
#[must_use]
pub fn preempt(
    ledger: &Ledger,
    pod: &PodFacts,
    ask: &Ask,
    asked: BTreeMap<String, MetaVictims>,
) -> PreemptAnswer {
    let (mut question, mut effort) = (Question::new(&ask.request), effort());
    let refined = asked.into_iter().filter_map(|(node, victims)| {
        let victims = refine(ledger, &mut question, pod, &node, victims, &mut effort)?;
        (!victims.pods.is_empty()).then_some((node, victims))
    });
    PreemptAnswer { node_name_to_meta_victims: refined.collect() }
}

/// Victims with which the pod fits; `None` if it never does.
fn refine(
    ledger: &Ledger,
    question: &mut Question<'_>,
    pod: &PodFacts,
    node: &str,
    mut victims: MetaVictims,
    effort: &mut Effort,
) -> Option<MetaVictims> {
    // Who is on its way out will be gone as well.
    let leaving = ledger.holdings(node).filter(|holding| holding.facts.is_leaving);
    let mut gone: Vec<PodUid> = leaving.map(|holding| holding.uid().clone()).collect();
    gone.extend(victims.pods.iter().filter_map(|pod| pod.uid.parse().ok()));
    let mut is_enough = |gone: &[PodUid]| {
        let Ok(devices) = ledger.view_without(node, gone) else { return false };
        let with_others = ledger.view_for(node, &devices, Some(pod), effort);
        question.fits(with_others.as_ref().unwrap_or(&devices), effort).is_ok()
    };
    let (mut others, before) = (dispensable(ledger, pod.priority, node, &gone).into_iter(), gone.len());
    while !is_enough(&gone) {
        gone.push(others.next()?);
    }
    // Whoever went in vain stays, the most important first.
    for place in (before..gone.len()).rev() {
        let uid = gone.remove(place);
        if !is_enough(&gone) {
            gone.insert(place, uid);
        }
    }
    victims.pods.extend(gone[before..].iter().map(|uid| MetaPod { uid: uid.to_string() }));
    Some(victims)
}

/// Who else could go, the first first. Whoever is being bound is not there yet for kube-scheduler.
fn dispensable(ledger: &Ledger, priority: i32, node: &str, gone: &[PodUid]) -> Vec<PodUid> {
    let could_go = |holding: &&Holding| {
        holding.state == State::Bound && holding.facts.priority < priority && !gone.contains(holding.uid())
    };
    let mut others: Vec<&Holding> = ledger.holdings(node).filter(could_go).collect();
    others.sort_by_key(|holding| {
        (holding.facts.priority, Reverse(holding.facts.created.as_ref().map(|time| time.0)))
    });
    others.into_iter().map(|holding| holding.uid().clone()).collect()
}
