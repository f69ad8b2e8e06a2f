//! Binding pods to nodes.
//!
//! ```text
//! kube-scheduler ── bind ──> flight ── look up ── reserve ── post ──┬── taken ─────────────> confirm
//!        (again) ── bind ──────┘       (ledger)                     ├── refused ───────────> release
//!                                                                   └── not known ── settle ─┘
//! ```
//!
//! A reservation is given back only when the API server is known not to have bound the pod, and not to do so later on. So a bind goes
//! on when kube-scheduler has stopped waiting for it, and whoever asks for the same pod again joins it.

mod error;
mod flights;
mod post;
mod seen;
mod serial;
mod settle;
mod target;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::claim::Claim;
use kube::Client;
use tokio::time::{Instant as TokioInstant, timeout};

pub use error::BindError;
use flights::Flights;
use post::{ApiServer, Word};
pub use seen::Seen;
use serial::{NodeTurn, NodeTurns};
use target::Target;

use super::recent::Recent;
use super::wire::BindRequest;
use crate::ledger::{SharedLedger, State};
use crate::metrics::{Metrics, Stage, Verb};
use crate::request::Reader;

/// After that, kube-scheduler is told that it is not known yet; it waits for 30 s.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);

/// After that, a pod is not bound any more: kube-scheduler has been told by then, or soon will be, that it is not known, and gives what
/// else the pod needs of the node to others.
const SENT_WITHIN: Duration = Duration::from_secs(15);

/// Whether pods may be bound from here now.
pub type MayBind = Box<dyn Fn() -> bool + Send + Sync>;

/// Binds pods.
#[derive(Clone)]
pub struct Binder(Arc<Inner>);

struct Inner {
    reader: Reader,
    ledger: SharedLedger,
    may_bind: MayBind,
    api_server: ApiServer,
    metrics: Metrics,
    /// Who is not among them is asked for.
    seen: Recent<Seen>,
    flights: Flights,
    /// Where one pod after the other is bound to a node.
    turns: Option<NodeTurns>,
}

impl fmt::Debug for Binder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binder").finish_non_exhaustive()
    }
}

impl Binder {
    /// One that reserves in `ledger` and tells the API server by `client`, while `may_bind` says so.
    #[must_use]
    pub fn new(
        client: Client,
        reader: Reader,
        ledger: SharedLedger,
        metrics: Metrics,
        may_bind: MayBind,
    ) -> Self {
        Self(Arc::new(Inner {
            api_server: ApiServer::new(client, reader.domain.claim()),
            reader,
            ledger,
            may_bind,
            metrics,
            seen: Recent::default(),
            flights: Flights::default(),
            turns: None,
        }))
    }

    /// The same, but one pod after the other for each node. Of a binder that has not bound yet.
    #[must_use]
    pub fn one_by_one(mut self) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.turns = Some(NodeTurns::default());
        }
        self
    }

    /// Remembers what a pod asks for that will probably be bound soon, unless that is very much.
    pub fn note(&self, seen: Seen) {
        if seen.is_small() {
            self.0.seen.put(&seen.facts.id.uid.clone(), seen);
        }
    }

    /// Binds a pod, or waits for the bind of this pod that goes on already.
    ///
    /// # Errors
    /// Why it is not bound, or that this is not known yet.
    pub async fn bind(&self, request: &BindRequest) -> Result<(), BindError> {
        let target = Target::read(request)?;
        let inner = Arc::clone(&self.0);
        let mut outcome = self.0.flights.join(&target, |target| async move {
            let result = inner.run(&target).await;
            inner.metrics.bound(error::outcome(&result));
            if let Err(error) = &result {
                tracing::info!(pod = %target.pod, node = target.node, %error, "a pod is not bound");
            }
            result
        })?;
        let told = timeout(ANSWERED_WITHIN, outcome.wait_for(Option::is_some)).await;
        let told = told.map_err(|_| BindError::Unsettled)?.map_err(|_| BindError::Internal)?;
        told.clone().unwrap_or(Err(BindError::Internal))
    }

    /// Waits until no bind goes on.
    pub async fn idle(&self) {
        self.0.flights.landed().await;
    }
}

impl Inner {
    async fn run(&self, target: &Target) -> Result<(), BindError> {
        let begun = TokioInstant::now();
        self.check_lead()?;
        let seen = self.staged(Stage::LookUp, self.look_up(target)).await?;
        let turn = match &self.turns {
            Some(turns) => Some(turns.take(&target.node).await),
            None => None,
        };
        let Some(ask) = &seen.ask else { return self.post(target, None, begun, turn).await };
        let claim = {
            let since = Instant::now();
            let reserved = self.ledger.write().assume(&seen.facts, ask, &target.node);
            self.metrics.took(Verb::Bind, Stage::Ledger, since);
            let reserved = reserved?;
            if reserved.earlier.is_some_and(|earlier| earlier != State::Assumed) {
                return Ok(());
            }
            reserved.claim
        };
        let posted = self.post(target, Some(&claim), begun, turn).await;
        let mut ledger = self.ledger.write();
        if posted.is_ok() {
            ledger.confirm(&target.pod.uid)
        } else {
            ledger.release(&target.pod.uid)
        }
        posted
    }

    /// What the pod asks for: as filter has seen it, or as the API server has it.
    async fn look_up(&self, target: &Target) -> Result<Seen, BindError> {
        if let Some(seen) = self.seen.get(&target.pod.uid) {
            return Ok(seen);
        }
        let pod = self.api_server.pod(&target.pod).await.map_err(BindError::NotFound)?;
        let pod = pod.filter(|pod| pod.metadata.uid.as_deref() == Some(target.pod.uid.as_str()));
        Seen::read(&pod.ok_or(BindError::Gone)?, &self.reader)
    }

    /// Tells the API server, until it is known what has become of it. On error the pod is not bound as `claim` says, and will not be.
    /// The node's turn ends with the API server's answer: while that has to be found out, what is reserved stays so without it.
    async fn post(
        &self,
        target: &Target,
        claim: Option<&Claim>,
        begun: TokioInstant,
        node_turn: Option<NodeTurn>,
    ) -> Result<(), BindError> {
        let turn = self.api_server.turn().await;
        // As late as can be: a request that is sent while this replica leads is over before another one does.
        self.check_lead()?;
        let posted = TokioInstant::now();
        if posted > begun + SENT_WITHIN {
            return Err(BindError::TooLate);
        }
        let word = self.staged(Stage::Post, turn.post(target, claim)).await;
        drop(node_turn);
        match word {
            Word::Taken => Ok(()),
            Word::Refused(reason) => Err(BindError::Refused(reason)),
            Word::NotKnown(reason) => {
                tracing::warn!(pod = %target.pod, node = target.node, reason, "it is not known whether a pod is bound");
                let unbound = settle::Unbound { reason, counts_from: posted + settle::LANDS_WITHIN };
                self.staged(Stage::Settle, settle::settle(&self.api_server, target, claim, unbound)).await
            }
        }
    }

    fn check_lead(&self) -> Result<(), BindError> {
        if (self.may_bind)() { Ok(()) } else { Err(BindError::NotLeading) }
    }

    async fn staged<T>(&self, stage: Stage, work: impl Future<Output = T>) -> T {
        let since = Instant::now();
        let done = work.await;
        self.metrics.took(Verb::Bind, stage, since);
        done
    }
}

#[cfg(test)]
mod tests;
