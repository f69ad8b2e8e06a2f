//! What kubelet is told of this program, and of the kube-scheduler beside it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use daemon::pulse::Pulse;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::leader::Leader;
use crate::ledger::SharedLedger;
use crate::serve::pages::Check;
use crate::watch::Keeper;

/// How often the ledger is touched.
const PERIOD: Duration = Duration::from_secs(1);

/// The ledger can be had within this, unless somebody never lets go of it.
const HAD_WITHIN: Duration = Duration::from_secs(30);

/// Looks after what could hang.
pub(super) struct Health {
    keeper: Arc<Keeper>,
    /// Where a lease is followed.
    leader: Option<Arc<Leader>>,
    ledger: Arc<Pulse>,
}

impl Health {
    /// `leader` follows a lease, if there is one.
    pub(super) fn new(keeper: Arc<Keeper>, leader: Option<Arc<Leader>>) -> Self {
        Self { keeper, leader, ledger: Arc::default() }
    }

    /// Finds out again and again, for ever, whether the ledger can be had.
    pub(super) fn watch(&self) -> impl Future<Output = Infallible> + use<> {
        let (ledger, pulse) = (self.keeper.ledger().clone(), Arc::clone(&self.ledger));
        async move {
            loop {
                sleep(PERIOD).await;
                touch(ledger.clone(), &pulse).await;
            }
        }
    }

    /// This program goes on. What the API server does not answer is no reason to start it anew.
    pub(super) fn alive(&self) -> Vec<Check> {
        let pulse = Arc::clone(&self.ledger);
        let ledger = Check::new("ledger-lock", move || {
            pulse
                .within(HAD_WITHIN)
                .map_err(|silence| format!("the ledger could not be had for {} s", silence.as_secs()))
        });
        let keeper = Arc::clone(&self.keeper);
        let lists = Check::new("lists", move || keeper.is_going());
        let leader = self.leader.clone();
        let lease = leader.map(|leader| Check::new("lease", move || leader.is_looking()));
        [ledger, lists].into_iter().chain(lease).collect()
    }

    /// The ledger is filled.
    pub(super) fn filled(&self) -> Check {
        let keeper = Arc::clone(&self.keeper);
        Check::new("ledger", move || {
            let reason = || "pods and nodes have not been listed yet".to_owned();
            keeper.is_filled().then_some(()).ok_or_else(reason)
        })
    }

    /// The kube-scheduler beside this program may keep the lease: it is answered, and does something itself.
    pub(super) fn paired(&self) -> Vec<Check> {
        let leader = self.leader.clone();
        let renewed = leader.map(|leader| Check::new("kube-scheduler", move || leader.is_renewed()));
        self.alive().into_iter().chain([self.filled()]).chain(renewed).collect()
    }
}

/// Waits until nobody else has the ledger, on a thread where that keeps nobody waiting.
async fn touch(ledger: SharedLedger, pulse: &Pulse) {
    if spawn_blocking(move || drop(ledger.write())).await.is_ok() {
        pulse.beat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::tests::keeper;

    fn names(checks: &[Check]) -> Vec<String> {
        checks.iter().map(|check| format!("{check:?}")).collect()
    }

    #[test]
    fn a_kube_scheduler_goes_on_while_it_is_answered_and_renews_the_lease() {
        let health = Health::new(keeper(), Some(Arc::default()));
        assert_eq!(names(&health.alive()), ["ledger-lock", "lists", "lease"]);
        assert_eq!(names(&health.paired()), ["ledger-lock", "lists", "lease", "ledger", "kube-scheduler"]);
        let alone = Health::new(keeper(), None);
        assert_eq!(names(&alone.paired()), ["ledger-lock", "lists", "ledger"]);
        assert_eq!(alone.filled().reason(), Err("pods and nodes have not been listed yet".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_ledger_that_nobody_lets_go_of_is_told() {
        let keeper = keeper();
        let health = Health::new(Arc::clone(&keeper), None);
        let alive = || health.alive().first().map(Check::reason).unwrap();
        tokio::time::advance(HAD_WITHIN + PERIOD).await;
        assert_eq!(alive(), Err("the ledger could not be had for 31 s".to_owned()));
        touch(keeper.ledger().clone(), &health.ledger).await;
        assert_eq!(alive(), Ok(()));
        // One that panics with the ledger in hand lets go of it.
        let (ledger, broken) = (keeper.ledger().clone(), keeper.ledger().clone());
        assert!(
            std::thread::spawn(move || {
                let _held = broken.write();
                panic!("a fault")
            })
            .join()
            .is_err()
        );
        tokio::time::advance(HAD_WITHIN + PERIOD).await;
        touch(ledger, &health.ledger).await;
        assert_eq!(alive(), Ok(()));
    }
}
