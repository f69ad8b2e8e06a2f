//! What became of a binding to which the API server did not say yes.

use std::time::Duration;

use contract::claim::Claim;
use tokio::time::{Instant, sleep};

use super::error::BindError;
use super::post::{ApiServer, Shown};
use super::target::Target;

/// A request that was not answered is done within this, or never: the API server gives it up after 2 s.
pub(super) const LANDS_WITHIN: Duration = Duration::from_secs(10);

/// Between two questions: at first, and at most.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// When it counts that the pod is not bound.
#[derive(Clone, Debug)]
pub(super) struct Unbound {
    /// What the API server said.
    pub reason: String,
    /// If it is seen from then on.
    pub counts_from: Instant,
}

/// Asks until it is known, for as long as that takes.
pub(super) async fn settle(
    api_server: &ApiServer,
    target: &Target,
    claim: Option<&Claim>,
    unbound: Unbound,
) -> Result<(), BindError> {
    let [mut pause, longest] = PAUSES;
    loop {
        let asked = Instant::now();
        match api_server.show(target, claim).await {
            Ok(Shown::AsPosted) => return Ok(()),
            Ok(Shown::Gone | Shown::Leaving) => return Err(BindError::Gone),
            Ok(Shown::Otherwise(node)) => return Err(BindError::Taken(node)),
            Ok(Shown::Unbound) if asked >= unbound.counts_from => {
                return Err(BindError::Refused(unbound.reason));
            }
            Ok(Shown::Unbound) => {}
            Err(error) => tracing::debug!(pod = %target.pod, error, "a pod cannot be read"),
        }
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}
