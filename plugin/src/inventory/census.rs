//! Looking at the devices, over and over.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use contract::Uuid;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::change::{Change, changes};
use super::health::{Health, Member, Policy};
use super::history::History;
use super::links::Links;
use super::{Driver, Family, Look, NoAnswer};

/// Between two looks.
pub const PAUSE: Duration = Duration::from_secs(5);

/// The devices as they are known now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Every device that has been seen since the program started, in the driver's order.
    pub members: Vec<Member>,
    /// What the driver last said about itself.
    pub driver: Driver,
    /// How they are connected, as the driver last said.
    pub links: Links,
    /// Since when each is the one that it is.
    pub incarnations: BTreeMap<Uuid, u64>,
}

/// Looks at `family`'s devices for ever, judges them by the `policy` of that moment, and publishes what has changed.
pub async fn take<F: Family>(
    family: &F,
    policy: impl Fn() -> Policy,
    pause: Duration,
    mut history: History,
    published: &watch::Sender<Census>,
) -> Infallible {
    let start = Instant::now();
    let mut health = Health::default();
    let (mut silent, mut broken) = (false, BTreeMap::new());
    loop {
        let look = family.look().await;
        if let (Err(error), false) = (&look, silent) {
            warn!(%error, "the devices cannot be looked at");
        }
        silent = look.is_err();
        if let Ok(look) = &look
            && look.broken != broken
        {
            look.broken.iter().for_each(|(index, reason)| warn!(index, reason, "a device does not answer"));
            broken.clone_from(&look.broken);
        }
        let members = health.observe(start.elapsed(), look.as_ref(), &policy());
        published.send_if_modified(|census| {
            let now = census.after(members, look, &mut history);
            let is_new = *census != now;
            if is_new {
                tell(&census.members, &now.members);
                *census = now;
            }
            is_new
        });
        sleep(pause).await;
    }
}

impl Census {
    /// What is known with these members after this look.
    fn after(&self, members: Vec<Member>, look: Result<Look, NoAnswer>, history: &mut History) -> Self {
        match look {
            Err(_) => Self { members, ..self.clone() },
            Ok(look) => {
                let incarnations = history.observe(look.gpus.iter().map(|gpu| gpu.uuid));
                Self { members, driver: look.driver, links: look.links, incarnations }
            }
        }
    }
}

/// Writes changes to the log.
fn tell(before: &[Member], now: &[Member]) {
    for change in changes(before, now) {
        match change {
            Change::New(uuid) => info!(%uuid, "a device"),
            Change::Good(uuid) => info!(%uuid, "the device can be given out again"),
            Change::Bad(uuid, fault) => warn!(%uuid, fault, "the device cannot be given out"),
        }
    }
}
