//! What is asked for: the metrics of this moment, and the probes.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use daemon::http::pages::{self, Site};
use tokio::sync::{Mutex, watch};

use super::attribution::Seen;
use super::meters::Meters;
use super::page::{Page, Parts};
use super::watched::Watched;
use crate::inventory::{Family, GpuUse};
use crate::kubelet::calls::Calls;
use crate::node::view::View;
use crate::prepare::{Cards, Holdings, Preparer};

/// How long the driver may take to say what is used.
const DRIVER_WITHIN: Duration = Duration::from_secs(2);

/// A page is not made anew for whoever asks within this.
const LASTS: Duration = Duration::from_secs(1);

/// Where processes are looked at.
const PROC: &str = "/proc";

/// Answers whoever watches over the agent.
pub struct Exporter<F, C> {
    sources: Sources<F, C>,
    /// Held while a page is made, so that there is one at a time.
    state: Arc<Mutex<State>>,
}

/// Who knows what.
pub struct Sources<F, C> {
    /// The agent's parts.
    pub watched: Watched,
    /// The driver.
    pub family: Arc<F>,
    /// What was given to whom.
    pub preparer: Arc<Preparer<C>>,
    /// What is offered.
    pub view: watch::Receiver<View>,
    /// What kubelet has asked.
    pub calls: Arc<Calls>,
    /// The version of the installed library.
    pub library: String,
}

#[derive(Default)]
struct State {
    meters: Meters,
    page: Option<(Instant, Bytes)>,
    started: Duration,
}

impl<F: Family, C: Cards> Exporter<F, C> {
    /// An exporter whose counters begin now. To be called before the first container is prepared.
    pub async fn new(sources: Sources<F, C>) -> Arc<Self> {
        let holdings = sources.preparer.holdings().await;
        let meters = in_background(move || Meters::inherited(&holdings.containers)).await.unwrap_or_default();
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let state = State { meters, page: None, started };
        Arc::new(Self { sources, state: Arc::new(Mutex::new(state)) })
    }

    async fn make(&self, state: &mut State) -> Option<Bytes> {
        let began = Instant::now();
        let uses = self.sources.family.usage(DRIVER_WITHIN).await;
        let driver_answers = uses.is_ok();
        let uses = uses.unwrap_or_default();
        let holdings = self.sources.preparer.holdings().await;
        let mut meters = std::mem::take(&mut state.meters);
        let looked = in_background(move || {
            let parts = look(&mut meters, holdings, uses);
            (meters, parts)
        });
        let (meters, parts) = looked.await?;
        state.meters = meters;
        let page = Page { parts, began, driver_answers, started: state.started };
        Some(page.text(&self.sources).into())
    }
}

fn look(meters: &mut Meters, holdings: Holdings, uses: Vec<GpuUse>) -> Parts {
    let seen = Seen::new(&uses, Path::new(PROC));
    let reads = meters.read(&holdings.containers);
    Parts { holdings, reads, uses, seen }
}

/// Does what reads files, while everything else goes on. `None` if it has failed.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

impl<F: Family, C: Cards> Site for Exporter<F, C> {
    fn health(&self) -> Vec<(&'static str, pages::State)> {
        self.sources.watched.pulses.silent()
    }

    fn readiness(&self) -> Vec<(&'static str, pages::State)> {
        self.sources.watched.conditions.all().into_iter().collect()
    }

    async fn metrics(self: Arc<Self>) -> Result<Bytes, String> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        if let Some((made, page)) = &state.page
            && made.elapsed() < LASTS
        {
            return Ok(page.clone());
        }
        // Goes on if whoever asked has gone: half a look would lose what it has counted.
        let making = tokio::spawn(async move {
            let page = self.make(&mut state).await;
            state.page = page.clone().map(|page| (Instant::now(), page));
            page
        });
        making.await.ok().flatten().ok_or_else(|| "looking for them has broken off".to_owned())
    }
}
