//! Whether this replica binds pods.
//!
//! It does while the kube-scheduler beside it holds their lease. Which one does is asked every second, and what counts is how long
//! ago it was, by this machine's monotonic clock: clocks of other machines, and jumps of this one, mean nothing.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use daemon::pulse::Pulse;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::{Api, Client};
use tokio::time::Instant;

use crate::settings::object::ObjectName;
use crate::watch::Keeper;

/// How often the lease is read: as often as kube-scheduler renews it.
const PERIOD: Duration = Duration::from_secs(1);

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A kube-scheduler that could not renew the lease for so long has ended.
const GIVEN_UP: Duration = Duration::from_secs(5);

/// How long after a renewal pods are bound. Another kube-scheduler waits for 8 s, and a request to bind takes 2 s at most.
const FRESH: Duration = Duration::from_secs(6);

/// A lease that could be read for so long and was renewed by nobody is held by a kube-scheduler that hangs, or is to be had by one that does.
const FORSAKEN: Duration = Duration::from_secs(30);

/// The lease has been looked at within this, unless looking hangs.
const LOOKED_WITHIN: Duration = Duration::from_secs(30);

/// Until when this replica binds pods.
#[derive(Debug)]
pub struct Leader {
    born: Instant,
    /// In milliseconds after that.
    until: AtomicU64,
    /// Whether it never leads again.
    has_resigned: AtomicBool,
    looked: Pulse,
    /// Somebody has renewed the lease, or it could not be read.
    renewed: Pulse,
}

impl Default for Leader {
    /// One that binds none yet.
    fn default() -> Self {
        Self {
            born: Instant::now(),
            until: AtomicU64::new(0),
            has_resigned: AtomicBool::new(false),
            looked: Pulse::default(),
            renewed: Pulse::default(),
        }
    }
}

impl Leader {
    /// Whether pods may be bound now.
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.is_leading_at(Instant::now())
    }

    fn is_leading_at(&self, now: Instant) -> bool {
        let until = Duration::from_millis(self.until.load(Ordering::Acquire));
        now.saturating_duration_since(self.born) < until && !self.has_resigned.load(Ordering::Acquire)
    }

    /// Binds pods from now on, for ever.
    pub(crate) fn lead(&self) {
        self.until.store(u64::MAX, Ordering::Release);
    }

    /// Binds no pods any more.
    pub fn resign(&self) {
        self.has_resigned.store(true, Ordering::Release);
    }

    fn lead_until(&self, end: Instant) {
        let until = end.saturating_duration_since(self.born).as_millis();
        self.until.store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// There is no lease: this program binds pods for ever, but not before what it may have sent before it was started anew has
    /// landed and is in the ledger of `keeper`.
    pub async fn alone(&self, keeper: &Keeper) -> Infallible {
        tokio::time::sleep(PATIENCE).await;
        keeper.read_again().await;
        self.lead();
        std::future::pending().await
    }

    /// Whether the lease that is [followed](Self::follow) is looked at.
    ///
    /// # Errors
    /// For how long it has not been.
    pub fn is_looking(&self) -> Result<(), String> {
        self.looked
            .within(LOOKED_WITHIN)
            .map_err(|silence| format!("it has not been looked at for {} s", silence.as_secs()))
    }

    /// Whether some kube-scheduler renews the lease that is followed, as far as can be said.
    ///
    /// # Errors
    /// For how long none has: the one beside this program does not, and has not taken it from another one either.
    pub fn is_renewed(&self) -> Result<(), String> {
        self.renewed
            .within(FORSAKEN)
            .map_err(|silence| format!("nobody has renewed the lease for {} s", silence.as_secs()))
    }

    fn stop(&self) {
        self.until.store(0, Ordering::Release);
    }

    /// Follows the lease `name`, for ever: this replica leads while its holder is the kube-scheduler in the pod `pod`. Before it
    /// begins to, `keeper` lists all pods, so that it knows what another replica has bound.
    pub async fn follow(&self, client: Client, name: &ObjectName, pod: &str, keeper: &Keeper) -> Infallible {
        let mut watch = Watch {
            api: Api::namespaced(client, &name.namespace),
            name,
            sight: Sight::new(pod, Instant::now()),
            leader: self,
            renewal: None,
            next: Instant::now(),
        };
        loop {
            while watch.fresh_until().is_none() {
                watch.look().await;
            }
            if !watch.is_held_during(keeper.read_again()).await {
                continue;
            }
            tracing::info!("lease {name} is held beside this program: pods are bound from here");
            while let Some(end) = watch.fresh_until() {
                self.lead_until(end);
                watch.look().await;
            }
            self.stop();
            tracing::info!(
                "lease {name} is not held beside this program any more: no pods are bound from here"
            );
        }
    }
}

/// Looks at a lease.
struct Watch<'a> {
    api: Api<Lease>,
    name: &'a ObjectName,
    sight: Sight,
    leader: &'a Leader,
    /// The last renewal by anybody.
    renewal: Option<MicroTime>,
    /// When it is to be read next.
    next: Instant,
}

impl Watch<'_> {
    /// Reads the lease, when it is time to.
    async fn look(&mut self) {
        tokio::time::sleep_until(self.next).await;
        let asked = Instant::now();
        self.next = asked + PERIOD;
        match tokio::time::timeout(PATIENCE, self.api.get_opt(&self.name.name)).await {
            Ok(Ok(lease)) => {
                self.sight.see(lease.as_ref(), asked, Instant::now());
                self.note_renewal(lease);
            }
            Ok(Err(error)) => self.is_unread(&error),
            Err(_) => self.is_unread(&format_args!("no answer in {PATIENCE:?}")),
        }
        self.leader.looked.beat();
    }

    fn is_unread(&self, error: &dyn Display) {
        self.leader.renewed.beat();
        tracing::warn!(%error, "lease {} cannot be read", self.name);
    }

    fn note_renewal(&mut self, lease: Option<Lease>) {
        let renewal = lease.and_then(|lease| lease.spec).and_then(|spec| spec.renew_time);
        if renewal != self.renewal {
            self.renewal = renewal;
            self.leader.renewed.beat();
        }
    }

    fn fresh_until(&self) -> Option<Instant> {
        self.sight.fresh_until(Instant::now())
    }

    /// Whether the lease has been held all the time until `work` was done.
    async fn is_held_during(&mut self, work: impl Future<Output = ()>) -> bool {
        let mut work = std::pin::pin!(work);
        while self.fresh_until().is_some() {
            tokio::select! {
                () = &mut work => return self.fresh_until().is_some(),
                () = self.look() => {}
            }
        }
        false
    }
}

/// What has been seen of a lease.
#[derive(Debug)]
struct Sight {
    /// What the identity of the holder beside us begins with.
    prefix: String,
    /// The last renewal by that holder, if it is the holder, and when it was asked for.
    last: Option<(Option<MicroTime>, Instant)>,
    /// A moment after which that holder has renewed it.
    renewed: Option<Instant>,
    /// The last renewal by another holder, and when it was seen first.
    other: Option<(Option<MicroTime>, Instant)>,
    /// Until then others may yet bind pods: another holder, or this program before it was started anew.
    barred: Instant,
}

impl Sight {
    fn new(pod: &str, now: Instant) -> Self {
        let barred = now + PATIENCE;
        Self { prefix: format!("{pod}_"), last: None, renewed: None, other: None, barred }
    }

    /// The lease is so, in an answer that has come at `now` to a request that was begun at `asked`.
    fn see(&mut self, lease: Option<&Lease>, asked: Instant, now: Instant) {
        let spec = lease.and_then(|lease| lease.spec.as_ref());
        let is_ours = |holder: &String| holder.starts_with(&self.prefix);
        let ours = spec.filter(|spec| spec.holder_identity.as_ref().is_some_and(is_ours));
        let renewal = ours.and_then(|spec| spec.renew_time.clone());
        if renewal.is_some() {
            self.pass_over(now);
        } else if let Some(spec) =
            spec.filter(|spec| spec.holder_identity.as_ref().is_some_and(|of| !of.is_empty()))
            && self.other.as_ref().is_none_or(|(last, _)| *last != spec.renew_time)
        {
            self.other = Some((spec.renew_time.clone(), now));
        }
        if renewal.is_none() {
            self.renewed = None;
        } else if let Some((_, before)) = self.last.as_ref().filter(|(last, _)| *last != renewal) {
            // It is newer than what the request before this one has shown. What is seen first may be of any age.
            self.renewed = Some(*before);
        }
        self.last = Some((renewal, asked));
    }

    /// The lease has come from another holder, if there was one, which may bind pods for a while after its last renewal. One that
    /// has ended in good order gives the lease away at once, and may have renewed it unseen just before.
    fn pass_over(&mut self, now: Instant) {
        if let Some((_, seen)) = self.other.take() {
            let last = if now.saturating_duration_since(seen) < GIVEN_UP { now } else { seen };
            self.barred = self.barred.max(last + FRESH + PATIENCE);
        }
    }

    /// Until when the lease is as good as held, if it is at `now` and nobody else binds pods any more.
    fn fresh_until(&self, now: Instant) -> Option<Instant> {
        self.renewed.map(|renewed| renewed + FRESH).filter(|end| (self.barred..*end).contains(&now))
    }
}

#[cfg(test)]
mod tests;
