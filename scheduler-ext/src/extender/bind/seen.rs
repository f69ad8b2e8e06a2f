//! Pods as filter has seen them, so that they need not be asked for when they are bound a moment later.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use contract::claim::PodUid;

use super::error::BindError;
use crate::api::Pod;
use crate::ledger::PodFacts;
use crate::request::{Ask, Reader};

/// More than kube-scheduler binds at a time. Who is not among them is asked for.
const MOST: usize = 8192;

/// A pod that is to be placed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which it is.
    pub facts: PodFacts,
    /// What it asks for; `None`: no slice.
    pub ask: Option<Ask>,
}

impl Seen {
    /// What there is to be known of `pod`.
    ///
    /// # Errors
    /// It has no identity, or asks for what nobody can have.
    pub fn read(pod: &Pod, reader: &Reader) -> Result<Self, BindError> {
        let facts = PodFacts::of(pod).ok_or_else(|| BindError::Invalid("the pod has no uid".to_owned()))?;
        Ok(Self { facts, ask: reader.read(pod)? })
    }
}

/// The pods that were seen last.
#[derive(Debug, Default)]
pub(super) struct SeenPods(Mutex<Pods>);

#[derive(Debug, Default)]
struct Pods {
    by_uid: HashMap<PodUid, Seen>,
    /// The first seen first.
    order: VecDeque<PodUid>,
}

impl SeenPods {
    pub(super) fn put(&self, seen: Seen) {
        let mut pods = self.lock();
        let uid = seen.facts.id.uid.clone();
        if pods.by_uid.insert(uid.clone(), seen).is_none() {
            pods.order.push_back(uid);
        }
        while pods.order.len() > MOST {
            if let Some(first) = pods.order.pop_front() {
                pods.by_uid.remove(&first);
            }
        }
    }

    pub(super) fn get(&self, uid: &PodUid) -> Option<Seen> {
        self.lock().by_uid.get(uid).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Pods> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::scene;

    #[test]
    fn the_last_are_kept() {
        let pods = SeenPods::default();
        let seen = |index: usize| Seen { facts: scene::facts(&format!("u{index}")), ask: None };
        for index in 0..=MOST {
            pods.put(seen(index));
            pods.put(seen(index));
        }
        let is_known = |uid: &str| pods.get(&uid.parse().unwrap()).is_some();
        assert!(!is_known("u0") && is_known("u1") && is_known(&format!("u{MOST}")));
    }
}
