//! What this node has given away now, for who watches it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use contract::claim::{ClaimedDevice, PodUid};

use super::{Books, Cards, Preparer};
use crate::claims::Record;
use crate::claims::capacity::{Footprint, add};
use crate::claims::pod::PodFacts;
use crate::slice::Owner;

/// What pods that live here have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Their containers, whether they have been prepared or not.
    pub containers: Vec<Holding>,
    /// What of each GPU they have together, as claims are counted.
    pub claimed: Footprint,
}

/// What one container has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Whose it is.
    pub owner: Owner,
    /// The namespace of its pod.
    pub namespace: String,
    /// The name of its pod.
    pub pod: String,
    /// What it was given.
    pub devices: Vec<ClaimedDevice>,
    /// Its accounting region, which is not there before the container was prepared.
    pub region: PathBuf,
}

impl<C: Cards> Preparer<C> {
    /// What pods have that are not over, as far as that is known, or that use a GPU nonetheless.
    pub async fn holdings(&self) -> Holdings {
        let pods = self.pods.all();
        self.books.lock().await.holdings(pods.as_ref())
    }
}

impl Books {
    fn holdings(&self, pods: Option<&BTreeMap<PodUid, PodFacts>>) -> Holdings {
        let lives = |pod: &PodUid| pods.is_none_or(|pods| pods.get(pod).is_some_and(|pod| !pod.is_over));
        let mut holdings = Holdings::default();
        for (pod, record) in self.records.iter() {
            if lives(pod) || self.is_in_use(pod, record) {
                add(&mut holdings.claimed, &record.footprint());
                holdings.containers.extend(self.of_pod(pod, record));
            }
        }
        holdings
    }

    fn of_pod(&self, pod: &PodUid, record: &Record) -> impl Iterator<Item = Holding> {
        record.accepted.claim.containers().iter().map(move |(container, devices)| {
            let owner = Owner { pod: pod.clone(), container: container.clone() };
            let region = self.slices.region(&owner);
            let (namespace, pod) = (record.namespace.clone(), record.name.clone());
            Holding { owner, namespace, pod, devices: devices.clone(), region }
        })
    }
}
