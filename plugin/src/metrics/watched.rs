//! What the parts of the agent tell about themselves.

use std::convert::Infallible;

use tokio::sync::watch;

use super::answer::Answer;
use super::conditions::{Condition, Conditions};
use super::pulse::Pulses;

/// What is known of the agent's parts. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// What has to be so for it to be ready.
    pub conditions: Conditions,
    /// Its loops.
    pub pulses: Pulses,
}

impl Watched {
    /// Whether it works: kubelet starts it anew where it does not.
    #[must_use]
    pub fn health(&self) -> Answer {
        Answer::alive(self.pulses.silent())
    }

    /// Whether pods can be given slices.
    #[must_use]
    pub fn readiness(&self) -> Answer {
        Answer::check(self.conditions.all())
    }
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
