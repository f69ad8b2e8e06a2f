//! What this node has given to whom, and the files that it consists of.

use std::collections::BTreeSet;
use std::path::PathBuf;

use contract::Uuid;
use contract::claim::{ClaimedDevice, PodUid};
use contract::limits_page::SharePolicy;

use super::{Delivery, Fault, Places, Rules};
use crate::cdi::Specs;
use crate::cdi::compose::{SliceFiles, compose};
use crate::cdi::driver::{self, WantedGpu};
use crate::cdi::spec::Spec;
use crate::claims::accept::{Accepted, Terms, accept, claim_of, usable};
use crate::claims::capacity::{Card, Footprint};
use crate::claims::pod::PodFacts;
use crate::claims::{Record, Records};
use crate::identity::resolve::{Tenant, Tenants};
use crate::install::Installed;
use crate::links::{Links, gpus_of};
use crate::slice::{Owner, Slices};

/// A question of kubelet's, and what is known for the answer.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Whose containers are to be prepared.
    pub tenants: Tenants,
    /// The devices that each of them holds.
    pub ids: Vec<String>,
    /// Their pod; `None` when the API server has not told of it.
    pub pod: Option<PodFacts>,
    /// The pods of this node that are not over.
    pub living: BTreeSet<PodUid>,
}

/// All that this node has given away.
#[derive(Debug)]
pub struct Books {
    /// Claims.
    pub records: Records,
    /// Files of containers.
    pub slices: Slices,
    /// What the runtime is told.
    pub specs: Specs,
    /// What it finds there, where it is told nothing, or was when a container's devices were allocated.
    pub links: Option<Links>,
    /// Versions of the library.
    pub installed: Installed,
    delivery: Delivery,
    rules: Rules,
    driver_cdi: Vec<PathBuf>,
    library: PathBuf,
}

impl Books {
    /// Opens what there is in `places`.
    ///
    /// # Errors
    /// A directory cannot be made, or others may write there.
    pub fn open(places: Places, rules: Rules) -> std::io::Result<Self> {
        Ok(Self {
            records: Records::open(&places.state.join("claims"))?,
            slices: Slices::open(&places.state.join("containers"))?,
            links: match places.delivery {
                Delivery::Links => Some(Links::open(&places.state)?),
                Delivery::Cdi => Links::left(&places.state)?,
            },
            delivery: places.delivery,
            specs: Specs::open(&places.cdi)?,
            installed: Installed::beside(&places.library),
            rules,
            driver_cdi: places.driver_cdi,
            library: places.library,
        })
    }

    pub(super) fn set_policy(&mut self, policy: SharePolicy) {
        self.rules.policy = policy;
    }

    pub(super) fn has(&self, pod: &PodUid) -> bool {
        self.records.get(pod).is_some()
    }

    fn terms<'a>(&'a self, cards: &'a [Card]) -> Terms<'a> {
        let Rules { node, domain, form, policy, .. } = &self.rules;
        Terms { node, cards, domain, form: *form, policy: *policy }
    }

    /// What is wrong with the annotations of `pod`, if it was given something and they no longer say so.
    pub(super) fn dispute(&self, pod: &PodFacts) -> Option<String> {
        let record = self.records.get(&pod.uid)?;
        match claim_of(pod, &self.terms(&[])) {
            Ok(claim) if claim == record.accepted.claim => None,
            Ok(_) => Some("it differs from the one that was accepted".to_owned()),
            Err(refusal) => Some(refusal.to_string()),
        }
    }

    /// Makes everything that the containers of `ask` need, and returns what their pod was given. The runtime finds a container's
    /// device only when all the rest is there.
    ///
    /// # Errors
    /// [`Fault`]: what has been made stays, and is made again the next time.
    pub fn prepare(&mut self, ask: &Ask, cards: &[Card]) -> Result<Record, Fault> {
        let record = self.record(ask, cards)?;
        let library = self.library.canonicalize().map_err(Fault::NoLibrary)?;
        let specs = match self.delivery {
            Delivery::Cdi => driver::specs(&self.driver_cdi),
            Delivery::Links => Vec::new(),
        };
        for tenant in &ask.tenants.containers {
            let claimed = record.accepted.claim.containers().get(&tenant.container);
            let devices =
                claimed.filter(|devices| devices.len() == ask.ids.len()).ok_or_else(|| Fault::Count {
                    pod: ask.tenants.pod.clone(),
                    container: tenant.container.clone(),
                    claimed: claimed.map_or(0, Vec::len),
                    held: ask.ids.len(),
                })?;
            if self.delivery == Delivery::Links {
                is_chosen(devices, &ask.ids)?;
            }
            self.make(tenant, &record, devices, cards, &library, &specs)?;
        }
        Ok(record)
    }

    /// What the pod was given: by its first container that came here, for good.
    fn record(&mut self, ask: &Ask, cards: &[Card]) -> Result<Record, Fault> {
        let uid = &ask.tenants.pod;
        if let Some(record) = self.records.get(uid) {
            return Ok(record.clone());
        }
        let pod = ask.pod.as_ref().ok_or_else(|| Fault::UnknownPod(uid.clone()))?;
        let others: Vec<Footprint> = self.others(ask).map(Record::footprint).collect();
        let accepted = accept(pod, &self.terms(cards), &others)?;
        let record = Record::new(pod, accepted);
        self.records.keep(record.clone())?;
        tracing::info!(pod = %uid, namespace = record.namespace, name = record.name, "a claim is accepted");
        Ok(record)
    }

    /// What was given to other pods that may still use it: they live, or a process of theirs has a GPU open, whatever anybody says.
    fn others(&self, ask: &Ask) -> impl Iterator<Item = &Record> {
        let others = self.records.iter().filter(|(pod, _)| **pod != ask.tenants.pod);
        let alive = others.filter(|(pod, record)| ask.living.contains(*pod) || self.is_in_use(pod, record));
        alive.map(|(_, record)| record)
    }

    /// Whether a process of `pod` uses a GPU.
    pub fn is_in_use(&self, pod: &PodUid, record: &Record) -> bool {
        let mut containers = record.accepted.claim.containers().keys();
        containers.any(|container| {
            let owner = Owner { pod: pod.clone(), container: container.clone() };
            self.slices.is_in_use(&owner)
        })
    }

    fn make(
        &self,
        tenant: &Tenant,
        record: &Record,
        devices: &[ClaimedDevice],
        cards: &[Card],
        library: &std::path::Path,
        specs: &[Spec],
    ) -> Result<(), Fault> {
        let wanted = |device: &ClaimedDevice| {
            let card = usable(device.uuid, cards)?;
            Ok::<_, Fault>(WantedGpu { uuid: card.uuid, index: card.index })
        };
        let gpus = devices.iter().map(wanted).collect::<Result<Vec<_>, _>>()?;
        let pod = record.accepted.claim.pod().clone();
        let owner = Owner { pod, container: tenant.container.clone() };
        let Accepted { policy, priority, .. } = record.accepted;
        let files = self.slices.make(&owner, devices, policy, priority)?;
        let files = SliceFiles {
            limits_dir: &files.limits_dir,
            region: &files.region,
            preload: &files.preload,
            library,
        };
        if let Some(links) = &self.links {
            links.write(tenant.token, &files)?;
        }
        if self.delivery == Delivery::Cdi {
            let driver = driver::edits(specs, &gpus, &self.driver_cdi)?;
            self.specs.write(tenant.token, &compose(tenant.token, &driver, &files))?;
        }
        let Tenant { container, token } = tenant;
        let (namespace, name) = (&record.namespace, &record.name);
        tracing::info!(namespace, name, %container, %token, devices = devices.len(), "a container is prepared");
        Ok(())
    }
}

/// Whether the claimed `devices` are the GPUs of kubelet's `ids`, which are what a container gets without CDI.
fn is_chosen(devices: &[ClaimedDevice], ids: &[String]) -> Result<(), Fault> {
    let (claimed, chosen): (BTreeSet<Uuid>, _) =
        (devices.iter().map(|device| device.uuid).collect(), gpus_of(ids));
    let names = |gpus: &BTreeSet<Uuid>| gpus.iter().map(Uuid::to_string).collect::<Vec<_>>().join(", ");
    if claimed == chosen {
        return Ok(());
    }
    Err(Fault::OtherGpus { claimed: names(&claimed), chosen: names(&chosen) })
}
