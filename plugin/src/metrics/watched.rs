//! What the parts of the agent tell about themselves.

use std::convert::Infallible;

use daemon::pulse::Pulses;
use tokio::sync::watch;

use super::conditions::{Condition, Conditions};

/// What is known of the agent's parts. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// What has to be so for it to be ready.
    pub conditions: Conditions,
    /// Its loops.
    pub pulses: Pulses,
}

/// Keeps `condition` fulfilled as long as what is known `is_so`, for ever; `reason` is why it is not.
pub async fn follow<T>(
    mut known: watch::Receiver<T>,
    is_so: impl Fn(&T) -> bool,
    reason: &str,
    condition: &Condition,
) -> Infallible {
    loop {
        let state = if is_so(&known.borrow_and_update()) { Ok(()) } else { Err(reason.to_owned()) };
        condition.set(state);
        if known.changed().await.is_err() {
            // Whoever knew has gone, and with it the agent.
            std::future::pending::<()>().await;
        }
    }
}
