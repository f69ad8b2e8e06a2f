//! Comparing the ledger with what the API server has.

use std::convert::Infallible;
use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::serde::de::DeserializeOwned;
use kube::api::ListParams;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Client, Resource};
use prometheus_client::metrics::counter::Counter;

use super::Keeper;
use crate::api::{Node, Pod};
use crate::ledger::Difference;

/// Objects in one answer of the API server.
const PAGE: u32 = 500;

/// How long a difference may be one between what has happened and what the watch has told.
const DOUBT: Duration = Duration::from_secs(5);

/// A replica that does not lead looks once where one that leads looks so often: it binds nothing, and lists all pods before it does.
const ASIDE: u32 = 10;

/// How many differences are told one by one. Where there are more, they have one cause.
const TOLD: usize = 10;

/// Compares the ledger of a keeper.
pub struct Audit<'a> {
    keeper: &'a Keeper,
    client: Client,
    differences: Counter,
}

impl<'a> Audit<'a> {
    /// One of the ledger of `keeper`, which counts the differences.
    #[must_use]
    pub const fn new(keeper: &'a Keeper, client: Client, differences: Counter) -> Self {
        Self { keeper, client, differences }
    }

    /// Looks after each `period`, for ever: less often while it is not so that `leads`, since to list everything is a burden.
    pub async fn run(&self, period: Duration, leads: impl Fn() -> bool) -> Infallible {
        let mut periods = 0;
        loop {
            tokio::time::sleep(period).await;
            periods += 1;
            if !self.keeper.is_filled() || !leads() && periods < ASIDE {
                continue;
            }
            periods = 0;
            if let Err(error) = self.look(DOUBT).await {
                tracing::warn!(%error, "the ledger could not be compared with the API server");
            }
        }
    }

    /// Looks once, and once more after `doubt` where something differs: what differs twice is told, and both pods and nodes are
    /// listed anew.
    ///
    /// # Errors
    /// The API server cannot be asked.
    pub async fn look(&self, doubt: Duration) -> kube::Result<Vec<Difference>> {
        let mut differences = self.compare().await?;
        if !differences.is_empty() {
            tokio::time::sleep(doubt).await;
            let again = self.compare().await?;
            differences.retain(|difference| again.contains(difference));
        }
        if !differences.is_empty() {
            self.differences.inc_by(differences.len() as u64);
            self.keeper.read_again().await;
            for difference in differences.iter().take(TOLD) {
                self.tell(difference).await;
            }
        }
        Ok(differences)
    }

    async fn compare(&self) -> kube::Result<Vec<Difference>> {
        let ledger = self.keeper.ledger();
        let (mut listed, since) = {
            let ledger = ledger.read();
            (ledger.empty(), ledger.mark())
        };
        each::<Node>(&self.client, |node| listed.note_node(&node)).await?;
        each::<Pod>(&self.client, |pod| listed.note_pod(&pod)).await?;
        Ok(ledger.read().differences(&listed, since))
    }

    /// Writes it to the log, and as an event of the node.
    async fn tell(&self, difference: &Difference) {
        tracing::error!("the ledger was wrong, and all was listed anew: {difference}");
        let reporter = Reporter { controller: "vgpu-scheduler-extender".to_owned(), instance: None };
        let node = ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("Node".to_owned()),
            name: Some(difference.node.clone()),
            uid: Some(difference.node.clone()),
            ..ObjectReference::default()
        };
        let event = Event {
            type_: EventType::Warning,
            reason: "LedgerDiffered".to_owned(),
            note: Some(format!("The scheduler's ledger was wrong and was filled anew: {difference}")),
            action: "Audit".to_owned(),
            secondary: None,
        };
        if let Err(error) = Recorder::new(self.client.clone(), reporter).publish(&event, &node).await {
            tracing::warn!(%error, "an event of node {} cannot be written", difference.node);
        }
    }
}

/// Shows all objects of a kind, the newest that there are.
async fn each<K>(client: &Client, mut show: impl FnMut(K)) -> kube::Result<()>
where
    K: Resource<DynamicType: Default> + Clone + DeserializeOwned + Debug,
{
    let api = Api::<K>::all(client.clone());
    let mut page = ListParams::default().limit(PAGE);
    loop {
        let list = api.list(&page).await?;
        list.items.into_iter().for_each(&mut show);
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page.continue_token = Some(token),
            None => return Ok(()),
        }
    }
}
