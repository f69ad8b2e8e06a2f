//! Accepted claims, kept on the node's disk.
//!
//! The first claim that is accepted for a pod rules for as long as the pod lives: a container that is started again needs no
//! API server, and nobody can change afterwards what a pod was given.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use contract::claim::{Claim, ContainerName, PodUid};
use contract::env::Priority;
use contract::limits_page::SharePolicy;
use serde::{Deserialize, Serialize};

use super::accept::Accepted;
use super::capacity::{Footprint, footprint};
use super::pod::{ContainerFacts, PodFacts, Role};
use crate::folder::{Folder, PRIVATE};

const VERSION: u32 = 1;
/// A claim is part of a pod's annotations, which may have 256 KiB; quoted in JSON it has at most twice as many.
const MOST: u64 = 1 << 20;
const SUFFIX: &str = ".json";

/// What a pod was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its namespace, for people.
    pub namespace: String,
    /// Its name, for people.
    pub name: String,
    /// Its claim and its policy.
    pub accepted: Accepted,
    /// Its containers, in the order in which they start.
    pub containers: Vec<ContainerFacts>,
}

impl Record {
    /// What `pod` was given.
    #[must_use]
    pub fn new(pod: &PodFacts, accepted: Accepted) -> Self {
        Self {
            namespace: pod.namespace.clone(),
            name: pod.name.clone(),
            accepted,
            containers: pod.containers.clone(),
        }
    }

    /// The most that the pod may hold of each GPU at one time.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        footprint(&self.accepted.claim, &self.containers)
    }
}

/// A record as its file has it.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    version: u32,
    namespace: String,
    name: String,
    /// In our own form.
    claim: String,
    policy: String,
    /// Left out where it is the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<u32>,
    containers: Vec<(String, Role)>,
}

impl Written {
    fn of(record: &Record) -> Self {
        Self {
            version: VERSION,
            namespace: record.namespace.clone(),
            name: record.name.clone(),
            claim: record.accepted.claim.encode(),
            policy: record.accepted.policy.to_string(),
            priority: Some(record.accepted.priority)
                .filter(|priority| *priority != Priority::default())
                .map(|one| one.0),
            containers: record.containers.iter().map(|one| (one.name.to_string(), one.role)).collect(),
        }
    }

    fn record(self) -> Result<Record, String> {
        if self.version != VERSION {
            return Err(format!("its version is {}, this program reads version {VERSION}", self.version));
        }
        let claim = Claim::decode(&self.claim).map_err(|error| error.to_string())?;
        let policy: SharePolicy = self.policy.parse().map_err(str::to_owned)?;
        let facts = |(name, role): (String, Role)| {
            let name: ContainerName = name.parse().map_err(|error| format!("{error}"))?;
            let devices = claim.containers().get(&name).map_or(0, Vec::len);
            Ok::<_, String>(ContainerFacts { name, role, devices })
        };
        let containers = self.containers.into_iter().map(facts).collect::<Result<_, _>>()?;
        let priority = self.priority.map_or_else(Priority::default, Priority);
        let accepted = Accepted { claim, policy, priority };
        Ok(Record { namespace: self.namespace, name: self.name, accepted, containers })
    }
}

/// All records of this node.
#[derive(Debug)]
pub struct Records {
    folder: Folder,
    records: BTreeMap<PodUid, Record>,
    /// Of these pods there is something that cannot be read.
    unreadable: BTreeSet<PodUid>,
}

impl Records {
    /// Reads those in `dir`, which is made if it is not there. One that cannot be read is logged and left where it is: the pod's
    /// claim is then asked of the API again.
    ///
    /// # Errors
    /// The directory cannot be read, or others may write there.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let folder = Folder::open(dir, PRIVATE)?;
        folder.sweep("");
        let (mut records, mut unreadable) = (BTreeMap::new(), BTreeSet::new());
        for name in folder.names()? {
            let Some(pod) = name.strip_suffix(SUFFIX).and_then(|name| name.parse::<PodUid>().ok()) else {
                continue;
            };
            match read(&folder, &name) {
                Ok(record) if record.accepted.claim.pod() == &pod => {
                    records.insert(pod, record);
                }
                Ok(_) => {
                    tracing::error!(%pod, "the claim that is kept for this pod is another's; it is ignored");
                    unreadable.insert(pod);
                }
                Err(fault) => {
                    tracing::error!(%pod, fault, "the claim that is kept for this pod cannot be read");
                    unreadable.insert(pod);
                }
            }
        }
        Ok(Self { folder, records, unreadable })
    }

    /// What `pod` was given.
    #[must_use]
    pub fn get(&self, pod: &PodUid) -> Option<&Record> {
        self.records.get(pod)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&PodUid, &Record)> {
        self.records.iter()
    }

    /// The pods of which there is a file, whether it can be read or not.
    pub fn pods(&self) -> impl Iterator<Item = &PodUid> {
        self.records.keys().chain(&self.unreadable)
    }

    /// Keeps `record`: from when this returns, also if the machine stops.
    ///
    /// # Errors
    /// Those of the system, with the path; nothing is kept then.
    pub fn keep(&mut self, record: Record) -> io::Result<()> {
        let pod = record.accepted.claim.pod().clone();
        let text = serde_json::to_vec(&Written::of(&record)).map_err(io::Error::other)?;
        self.folder.write(&format!("{pod}{SUFFIX}"), &text, 0o600)?;
        self.unreadable.remove(&pod);
        self.records.insert(pod, record);
        Ok(())
    }

    /// Forgets `pod`.
    ///
    /// # Errors
    /// Those of the system, with the path; it is kept then.
    pub fn forget(&mut self, pod: &PodUid) -> io::Result<()> {
        self.folder.remove(&format!("{pod}{SUFFIX}"))?;
        self.records.remove(pod);
        self.unreadable.remove(pod);
        Ok(())
    }
}

fn read(folder: &Folder, name: &str) -> Result<Record, String> {
    let text = folder.read(name, MOST).map_err(|error| error.to_string())?;
    let text = text.ok_or_else(|| "it is gone".to_owned())?;
    let written: Written = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    written.record()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_cannot_be_read_is_forgotten_with_its_pod_and_half_a_one_at_once() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("claims");
        drop(Records::open(&dir).unwrap());
        std::fs::write(dir.join("p-1.json"), r#"{"version":2}"#).unwrap();
        std::fs::write(dir.join(".p-2.json.new"), "{").unwrap();
        let mut records = Records::open(&dir).unwrap();
        let pod: PodUid = "p-1".parse().unwrap();
        assert_eq!(records.pods().collect::<Vec<_>>(), [&pod]);
        assert!(records.get(&pod).is_none());
        records.forget(&pod).unwrap();
        assert_eq!(records.pods().count(), 0);
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    }
}
