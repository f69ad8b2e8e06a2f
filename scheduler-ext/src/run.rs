//! The parts put together.

mod health;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use daemon::flags::Bind;
use daemon::http::{self, Limits};
use kube::{Client, Config};
use tokio::runtime::Handle;
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
struct Parts<'a> {
    tasks: JoinSet<Result<Infallible>>,
    background: &'a Handle,
}

impl Parts<'_> {
    /// Adds one to the thread of the caller.
    fn here(&mut self, part: impl Future<Output = Result<Infallible>> + Send + 'static) {
        self.tasks.spawn(part);
    }

    /// Adds one to the other threads.
    fn beside(&mut self, part: impl Future<Output = Result<Infallible>> + Send + 'static) {
        self.tasks.spawn_on(part, self.background);
    }
}

/// Runs until `end`. Kube-scheduler is answered on this thread, and all else done on those of `background`.
///
/// # Errors
/// What keeps it from running.
pub async fn run(flags: &Flags, background: &Handle, end: impl Future<Output = ()>) -> Result<()> {
    let config = Config::infer().await.context("the way to the API server")?;
    // A client does its work where it was made.
    let client = connect(config.clone()).context("the API server")?;
    let program = {
        let _beside = background.enter();
        Program::new(flags, connect(config).context("the API server")?)
    };
    let mut parts = Parts { tasks: JoinSet::new(), background };
    program.keep(&mut parts);
    program.lead(&mut parts);
    let binder = program.binder(client);
    program.answer(&mut parts, binder.clone());
    program.show(&mut parts);
    tokio::select! {
        ended = parts.tasks.join_next() => match ended {
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
    fn new(flags: &'a Flags, client: Client) -> Self {
        let ledger = SharedLedger::new(Ledger::new(flags.reader()));
        let (keeper, leader) = (Arc::new(Keeper::new(ledger.clone())), Arc::<Leader>::default());
        let webhook = Webhook::new(&flags.webhook, flags.reader(), Some(ledger.clone()));
        let metrics = Metrics::with(ledger.clone(), |registry| {
            registry.register_collector(Box::new(Leading(Arc::clone(&leader))));
            webhook.iter().for_each(|webhook| webhook.register(registry));
        });
        Self { flags, client, ledger, metrics, keeper, leader, webhook }
    }

    /// Keeps the ledger, and compares it now and then.
    fn keep(&self, parts: &mut Parts<'_>) {
        let (keeper, client) = (Arc::clone(&self.keeper), self.client.clone());
        parts.beside(async move { Ok(keeper.run(client).await) });
        let (keeper, client) = (Arc::clone(&self.keeper), self.client.clone());
        let (period, counted) =
            (Duration::from_secs(self.flags.audit_interval), self.metrics.ledger_differences());
        let leader = Arc::clone(&self.leader);
        parts.beside(async move {
            let audit = Audit::new(&keeper, client, counted);
            Ok(audit.run(period, || leader.is_leading()).await)
        });
    }

    /// Finds out whether pods are bound from here.
    fn lead(&self, parts: &mut Parts<'_>) {
        let (client, keeper, leader) =
            (self.client.clone(), Arc::clone(&self.keeper), Arc::clone(&self.leader));
        let lease = self.flags.lease.clone().zip(self.flags.pod_name.clone());
        parts.beside(async move {
            match lease {
                Some((lease, pod)) => Ok(leader.follow(client, &lease, &pod, &keeper).await),
                None => Ok(leader.alone(&keeper).await),
            }
        });
    }

    fn binder(&self, client: Client) -> Binder {
        let (keeper, leader) = (Arc::clone(&self.keeper), Arc::clone(&self.leader));
        let may_bind = Box::new(move || keeper.is_filled() && leader.is_leading());
        let reader = self.flags.reader();
        let binder = Binder::new(client, reader, self.ledger.clone(), self.metrics.clone(), may_bind);
        if self.flags.feature_gates.has(Gate::SerialBindNode) { binder.one_by_one() } else { binder }
    }

    /// Answers kube-scheduler.
    fn answer(&self, parts: &mut Parts<'_>, binder: Binder) {
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
        let served = serve("kube-scheduler", &self.flags.bind_address, Limits::SCHEDULER, router);
        served.into_iter().for_each(|served| parts.here(served));
    }

    /// Answers everybody else.
    fn show(&self, parts: &mut Parts<'_>) {
        let leader = self.flags.lease.as_ref().map(|_| Arc::clone(&self.leader));
        let health = Health::new(Arc::clone(&self.keeper), leader);
        let looking = health.watch();
        // Where kube-scheduler is answered, so that it shows as well whether that thread goes on.
        parts.here(async move { Ok(looking.await) });
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
        let ours = &self.flags.webhook.scheduler_name;
        let explainer = Explainer::new(self.client.clone(), ours, self.flags.reader(), self.ledger.clone());
        let pages = pages::router(pages).merge(explainer.router());
        let served = serve("metrics and probes", &self.flags.metrics_bind_address, Limits::PAGES, pages);
        served.into_iter().for_each(|served| parts.beside(served));
        if let Some(webhook) = self.webhook.clone() {
            let client = self.client.clone();
            parts.beside(async move { webhook.run(client).await });
        }
    }
}

/// Serves plain HTTP, if that is to be done anywhere.
fn serve(
    what: &'static str,
    at: &Bind,
    limits: Limits,
    router: axum::Router,
) -> Option<impl Future<Output = Result<Infallible>> + Send + 'static> {
    let addresses = at.addresses().to_vec();
    (!addresses.is_empty()).then_some(async move {
        let listener = http::listen(&addresses).await.context(what)?;
        Ok(http::serve(listener, limits, router, http::plain).await)
    })
}
