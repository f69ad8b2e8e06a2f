//! What is done before kubelet creates a container: find out whose it is, what that was given, and make the files that say so.

mod books;
mod fault;
mod holdings;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract::claim::PodUid;
use contract::limits_page::SharePolicy;
use contract::resources::Domain;
use daemon::pulse::Pulse;
use monitor::shares::Place;
use tokio::sync::{Mutex, watch};

use crate::cdi;
use crate::claims::accept::ClaimForm;
use crate::claims::capacity::Card;
use crate::claims::pod::PodFacts;
use crate::claims::{Notices, Pods, Record};
use crate::collect::Collector;
use crate::identity::resolve::{Tenant, Tenants, Unresolved, resolve};
use crate::identity::token::Token;
use crate::kubelet::checkpoint::{self, CheckpointError, Entry};
use crate::kubelet::pod_resources;
use crate::kubelet::prepare::{Prepare, Unprepared};
use crate::links;
use crate::proto::deviceplugin::ContainerAllocateResponse;
pub use books::{Ask, Books};
pub use contract::refusals::ELSEWHERE;
pub use fault::Fault;
pub use holdings::{Holding, Holdings};
pub use tally::{REASONS, Tally};

/// How long a pod may take to become known: kubelet waits thirty seconds for an answer, and asks again later in any case.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often kubelet's record is read again when it does not name whoever is asked for, and how long after.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// How often what has changed since is looked at.
const ROUND: Duration = Duration::from_secs(30);

/// Where things are on this node.
#[derive(Clone, Debug)]
pub struct Places {
    /// Kubelet's record of devices.
    pub checkpoint: PathBuf,
    /// The socket of kubelet's other record, with which the first is compared.
    pub pod_resources: PathBuf,
    /// What the agent keeps: claims and files of containers.
    pub state: PathBuf,
    /// Where our CDI specs go.
    pub cdi: PathBuf,
    /// Where the driver's CDI specs are; of two for one GPU the later counts.
    pub driver_cdi: Vec<PathBuf>,
    /// How containers get what they are given.
    pub delivery: Delivery,
    /// The library for containers that are created from now on; may be a link to it.
    pub library: PathBuf,
}

/// How containers get what they are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// By CDI specs.
    #[default]
    Cdi,
    /// By [links], where the runtime has no CDI.
    Links,
}

/// What a node goes by.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The node's name.
    pub node: String,
    /// The domain of annotations.
    pub domain: Domain,
    /// As what devices are counted.
    pub resource: String,
    /// In which annotations claims are.
    pub form: ClaimForm,
    /// What compute shares mean for pods that say nothing about it.
    pub policy: SharePolicy,
}

/// The GPUs of this node as they are now.
pub trait Cards: Send + Sync + 'static {
    /// All of them, those that cannot be used with the reason.
    fn cards(&self) -> Vec<Card>;
}

impl<F: Fn() -> Vec<Card> + Send + Sync + 'static> Cards for F {
    fn cards(&self) -> Vec<Card> {
        self()
    }
}

/// Prepares containers, one after the other: who comes first has what there is.
pub struct Preparer<C> {
    checkpoint: PathBuf,
    pod_resources: PathBuf,
    /// The agent's directory, where containers get what they are given by links.
    links: Option<PathBuf>,
    resource: String,
    pods: Arc<Pods>,
    cards: C,
    books: Arc<Mutex<Books>>,
    slices: watch::Receiver<BTreeSet<Place>>,
    collector: Mutex<Collector>,
    tally: Tally,
}

impl<C: Cards> Preparer<C> {
    /// A preparer with what earlier ones have left in `places`.
    ///
    /// # Errors
    /// A directory cannot be made, or others may write there.
    pub fn new(places: Places, rules: Rules, pods: Arc<Pods>, cards: C) -> std::io::Result<Self> {
        let (checkpoint, pod_resources) = (places.checkpoint.clone(), places.pod_resources.clone());
        let links = (places.delivery == Delivery::Links).then(|| places.state.clone());
        let resource = rules.resource.clone();
        let books = Books::open(places, rules)?;
        Ok(Self {
            checkpoint,
            pod_resources,
            links,
            resource,
            pods,
            cards,
            slices: books.slices.places(),
            books: Arc::new(Mutex::new(books)),
            collector: Mutex::default(),
            tally: Tally::default(),
        })
    }

    /// Where containers have their limits pages and regions.
    #[must_use]
    pub fn slices(&self) -> watch::Receiver<BTreeSet<Place>> {
        self.slices.clone()
    }

    /// Sets what compute shares mean for pods that are accepted from now on and say nothing about it.
    pub async fn set_policy(&self, policy: SharePolicy) {
        self.books.lock().await.set_policy(policy);
    }

    /// How often containers were prepared, and how often not.
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Every half a minute, for ever: removes what nobody needs any more, and says of which pods the claim was changed.
    /// Each round is a beat of `pulse`.
    pub async fn tend(&self, notices: &Notices, pulse: &Pulse) {
        let mut told = BTreeMap::new();
        loop {
            pulse.beat();
            tokio::time::sleep(ROUND).await;
            if let Err(fault) = self.collect().await {
                tracing::warn!(%fault, "what pods that are gone have left is not removed");
            }
            let disputes = self.disputes().await;
            told.retain(|pod, _| disputes.iter().any(|(disputed, _)| disputed.uid == *pod));
            for (pod, fault) in disputes {
                if told.get(&pod.uid) != Some(&fault) {
                    // An API server that does not answer is waited for, each time.
                    pulse.beat();
                    notices.claim_changed(&pod, &fault).await;
                    told.insert(pod.uid, fault);
                }
            }
        }
    }

    /// Removes what no container needs any more and did not need the last time either. Nothing before the pods of this node are known.
    ///
    /// # Errors
    /// Kubelet's record cannot be read, or something cannot be removed. The rest is.
    pub async fn collect(&self) -> Result<(), Fault> {
        let Some(pods) = self.pods.all() else { return Ok(()) };
        let mut collector = self.collector.lock().await;
        let mut books = Arc::clone(&self.books).lock_owned().await;
        let entries = match checkpoint::read(&self.checkpoint, &self.resource).await {
            // A kubelet that has never given out a device has written nothing yet.
            Err(CheckpointError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(()),
            result => result?,
        };
        let mut looks = std::mem::take(&mut *collector);
        let collected = in_background(move || {
            let result = looks.collect(&mut books, &entries, &pods);
            (looks, result)
        });
        let (looks, result) = collected.await?;
        *collector = looks;
        result
    }

    /// The pods of this node whose annotations no longer say what they were given, with what is wrong.
    async fn disputes(&self) -> Vec<(PodFacts, String)> {
        let Some(pods) = self.pods.all() else { return Vec::new() };
        let books = self.books.lock().await;
        pods.into_values().filter_map(|pod| books.dispute(&pod).map(|fault| (pod, fault))).collect()
    }

    async fn try_prepare(&self, ids: &[String]) -> Result<(), Fault> {
        let (tenants, entries) = self.tenants(ids).await?;
        let is_kept = self.books.lock().await.has(&tenants.pod);
        let pod = match is_kept {
            true => None,
            false => self.pods.find(&tenants.pod, PATIENCE).await,
        };
        let living = living(&entries, self.pods.all().as_ref());
        let ask = Ask { ids: ids.to_vec(), pod, living, tenants };
        let cards = self.cards.cards();
        let mut books = Arc::clone(&self.books).lock_owned().await;
        let (containers, record) = in_background(move || {
            let record = books.prepare(&ask, &cards)?;
            Ok::<_, Fault>((ask.tenants.containers, record))
        })
        .await??;
        self.compare(ids, &containers, &record).await;
        Ok(())
    }

    /// Logs when kubelet's other record says that somebody else has these devices.
    async fn compare(&self, ids: &[String], containers: &[Tenant], record: &Record) {
        let containers: Vec<&str> = containers.iter().map(|tenant| tenant.container.as_str()).collect();
        let pod = (record.namespace.as_str(), record.name.as_str());
        let list = pod_resources::list(&self.pod_resources).await;
        match list.map(|list| pod_resources::contradictions(&list, &self.resource, ids, pod, &containers)) {
            Ok(others) if others.is_empty() => {}
            Ok(others) => tracing::warn!(?ids, ?pod, ?others, "kubelet lists these devices as others'"),
            Err(fault) => tracing::debug!(fault, "kubelet's list of devices is not to be had"),
        }
    }

    /// Whose the devices are. Kubelet's record may lag behind what it asks for when it writes twice at once.
    async fn tenants(&self, ids: &[String]) -> Result<(Tenants, Vec<Entry>), Fault> {
        let mut look = 1;
        loop {
            let entries = checkpoint::read(&self.checkpoint, &self.resource).await?;
            match resolve(&entries, ids) {
                Err(Unresolved::Nobody(_)) if look < LOOKS => tokio::time::sleep(PAUSE).await,
                result => return Ok((result?, entries)),
            }
            look += 1;
        }
    }
}

/// The pods that are not over: those of the API server, or those that hold devices in kubelet's record while it cannot be asked.
///
/// The record alone will not do: kubelet writes it when it gives devices away, and it names a pod that has gone since until then.
fn living(entries: &[Entry], pods: Option<&BTreeMap<PodUid, PodFacts>>) -> BTreeSet<PodUid> {
    match pods {
        Some(pods) => pods.values().filter(|pod| !pod.is_over).map(|pod| pod.uid.clone()).collect(),
        None => entries.iter().filter_map(|entry| entry.pod_uid.parse().ok()).collect(),
    }
}

/// Does what may wait for a disk, while everything else goes on.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Fault::Io(std::io::Error::other(error)))
}

impl<C: Cards> Prepare for Preparer<C> {
    fn answer(&self, token: Token, ids: &[String]) -> ContainerAllocateResponse {
        match &self.links {
            None => cdi::answer(token),
            Some(state) => links::answer(state, token, ids),
        }
    }

    async fn prepare(&self, ids: &[String]) -> Result<(), Unprepared> {
        let result = self.try_prepare(ids).await;
        self.tally.count(result.as_ref().copied());
        result.map_err(|fault| {
            let hint = if fault.is_of_this_node() { format!(" {ELSEWHERE}") } else { String::new() };
            let fault = format!("{fault}{hint}");
            tracing::warn!(?ids, fault, "a container cannot be created now");
            Unprepared(fault)
        })
    }
}
