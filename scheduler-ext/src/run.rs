//! The parts put together.

mod health;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use daemon::flags::Bind;
use daemon::http::{self, Limits};
use kube::{Client, Config};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::admission::webhook::Webhook;
use crate::api::connect;
use crate::extender::bind::Binder;
use crate::extender::{Extender, Patience};
use crate::leader::Leader;
use crate::ledger::{Ledger, SharedLedger};
use crate::metrics::{Leading, Metrics};
use crate::serve::explain::Explainer;
use crate::serve::pages::{self, Pages};
use crate::serve::verbs;
use crate::settings::flags::Flags;
use crate::settings::gates::Gate;
use crate::watch::Keeper;
use crate::watch::audit::Audit;
use health::Health;

/// How long binds are waited for that go on when the program is told to end.
const LANDED_WITHIN: Duration = Duration::from_secs(5);

/// How long API servers may still ask the webhook of a pod that is told to end, because they have not heard of it yet. Otherwise pods
/// that they make meanwhile would be refused.
const FAREWELL: Duration = Duration::from_secs(5);

/// Parts that go on for ever, each on a task of its own, so that none waits for what another has to do.
type Parts = JoinSet<Result<Infallible>>;

/// Runs until `end`.
///
/// # Errors
/// What keeps it from running.
pub async fn run(flags: &Flags, end: impl Future<Output = ()>) -> Result<()> {
    let program = Program::new(flags).await?;
    let mut parts = Parts::new();
    program.keep(&mut parts);
    program.lead(&mut parts);
    let binder = program.binder();
    program.answer(&mut parts, binder.clone());
    program.show(&mut parts);
    tokio::select! {
        ended = parts.join_next() => match ended {
            Some(Ok(Ok(never))) => match never {},
            Some(Ok(Err(error))) => return Err(error),
            Some(Err(error)) => bail!("a part has broken off: {error}"),
            None => {}
        },
        () = end => {}
    }
    // The kube-scheduler beside us, which is told to end as well, lets others lead at once.
    program.leader.resign();
    let farewell = if program.webhook.is_some() { FAREWELL } else { Duration::ZERO };
    let _ = tokio::join!(timeout(LANDED_WITHIN, binder.idle()), sleep(farewell));
    Ok(())
}

/// What several parts share.
struct Program<'a> {
    flags: &'a Flags,
    client: Client,
    ledger: SharedLedger,
    metrics: Metrics,
    keeper: Arc<Keeper>,
    leader: Arc<Leader>,
    webhook: Option<Webhook>,
}

impl<'a> Program<'a> {
    async fn new(flags: &'a Flags) -> Result<Self> {
        let config = Config::infer().await.context("the way to the API server")?;
        let client = connect(config).context("the API server")?;
        let ledger = SharedLedger::new(Ledger::new(flags.reader(), flags.has_topology()));
        let (keeper, leader) = (Arc::new(Keeper::new(ledger.clone())), Arc::<Leader>::default());
        let webhook = Webhook::new(&flags.webhook, flags.reader(), Some(ledger.clone()));
        let metrics = Metrics::with(ledger.clone(), |registry| {
            registry.register_collector(Box::new(Leading(Arc::clone(&leader))));
            webhook.iter().for_each(|webhook| webhook.register(registry));
        });
        Ok(Self { flags, client, ledger, metrics, keeper, leader, webhook })
    }

    /// Keeps the ledger, and compares it now and then.
    fn keep(&self, parts: &mut Parts) {
        let (keeper, client) = (Arc::clone(&self.keeper), self.client.clone());
        parts.spawn(async move { Ok(keeper.run(client).await) });
        let (keeper, client) = (Arc::clone(&self.keeper), self.client.clone());
        let (period, counted) =
            (Duration::from_secs(self.flags.audit_interval), self.metrics.ledger_differences());
        let leader = Arc::clone(&self.leader);
        parts.spawn(async move {
            let audit = Audit::new(&keeper, client, counted);
            Ok(audit.run(period, || leader.is_leading()).await)
        });
    }

    /// Finds out whether pods are bound from here.
    fn lead(&self, parts: &mut Parts) {
        let (client, keeper, leader) =
            (self.client.clone(), Arc::clone(&self.keeper), Arc::clone(&self.leader));
        let lease = self.flags.lease.clone().zip(self.flags.pod_name.clone());
        parts.spawn(async move {
            match lease {
                Some((lease, pod)) => Ok(leader.follow(client, &lease, &pod, &keeper).await),
                None => Ok(leader.alone(&keeper).await),
            }
        });
    }

    fn binder(&self) -> Binder {
        let (keeper, leader) = (Arc::clone(&self.keeper), Arc::clone(&self.leader));
        let may_bind = Box::new(move || keeper.is_filled() && leader.is_leading());
        let (client, reader) = (self.client.clone(), self.flags.reader());
        let binder = Binder::new(client, reader, self.ledger.clone(), self.metrics.clone(), may_bind);
        if self.flags.feature_gates.has(Gate::SerialBindNode) { binder.one_by_one() } else { binder }
    }

    /// Answers kube-scheduler.
    fn answer(&self, parts: &mut Parts, binder: Binder) {
        let keeper = Arc::clone(&self.keeper);
        let extender = Extender {
            reader: self.flags.reader(),
            ledger: self.ledger.clone(),
            binder,
            metrics: self.metrics.clone(),
            hears: Box::new(move || keeper.hearing()),
            patience: self.flags.nodes_are_sampled.then(Patience::default),
            avoids_setbacks: self.flags.feature_gates.has(Gate::Reschedule),
        };
        let router = verbs::router(Arc::new(extender));
        serve(parts, "kube-scheduler", &self.flags.bind_address, Limits::SCHEDULER, router);
    }

    /// Answers everybody else.
    fn show(&self, parts: &mut Parts) {
        let leader = self.flags.lease.as_ref().map(|_| Arc::clone(&self.leader));
        let health = Health::new(Arc::clone(&self.keeper), leader);
        let looking = health.watch();
        parts.spawn(async move { Ok(looking.await) });
        let webhook = self.webhook.as_ref().map(Webhook::check);
        let ready = health.alive().into_iter().chain(webhook).chain([health.filled()]).collect();
        let metrics = self.metrics.clone();
        let pages = Pages {
            alive: health.alive(),
            ready,
            paired: health.paired(),
            metrics: Box::new(move || metrics.text()),
            turn: Mutex::default(),
        };
        let explainer = Explainer::new(self.client.clone(), self.flags.reader(), self.ledger.clone());
        let pages = pages::router(pages).merge(explainer.router());
        serve(parts, "metrics and probes", &self.flags.metrics_bind_address, Limits::PAGES, pages);
        if let Some(webhook) = self.webhook.clone() {
            let client = self.client.clone();
            parts.spawn(async move { webhook.run(client).await });
        }
    }
}

/// Serves plain HTTP, if that is to be done anywhere.
fn serve(parts: &mut Parts, what: &'static str, at: &Bind, limits: Limits, router: axum::Router) {
    let addresses = at.addresses().to_vec();
    if addresses.is_empty() {
        return;
    }
    parts.spawn(async move {
        let listener = http::listen(&addresses).await.context(what)?;
        Ok(http::serve(listener, limits, router, http::plain).await)
    });
}
