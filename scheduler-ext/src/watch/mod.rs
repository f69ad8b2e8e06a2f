//! Keeping a ledger as the API server has it.
//!
//! ```text
//! API server ── list, then watch ──> follow ── words ──> sinks ──> ledger
//!            └─ list, now and then ─> audit ── another ledger ──> compared ── differences: both are listed anew
//! ```
//!
//! Whoever asks is answered only once pods and nodes have been listed. Lists are the newest that there are (without a resource
//! version), so they show each binding that the API server had confirmed before they were asked for.

pub mod audit;
mod follow;
mod rounds;
mod sinks;
mod unseen;

use std::convert::Infallible;

use kube::Client;

use crate::ledger::SharedLedger;
use follow::follow;
use rounds::Rounds;
use sinks::{Nodes, Pods, Sink};
use unseen::list_unseen;

/// How much is heard of what happens in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hearing {
    /// Nothing yet.
    Nothing,
    /// Perhaps not all: a list is being read, or the API server could not be had a moment ago.
    Doubtful,
    /// All of it.
    Clear,
}

/// Keeps one ledger.
#[derive(Debug)]
pub struct Keeper {
    ledger: SharedLedger,
    nodes: Rounds,
    pods: Rounds,
}

impl Keeper {
    /// One that keeps `ledger`, which knows nothing yet.
    #[must_use]
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger, nodes: Rounds::default(), pods: Rounds::default() }
    }

    /// The ledger.
    #[must_use]
    pub const fn ledger(&self) -> &SharedLedger {
        &self.ledger
    }

    /// Keeps it, for ever; while the API server is away, as it was.
    pub async fn run(&self, client: Client) -> Infallible {
        let (pods, nodes) = (Pods::new(&self.ledger), Nodes::new(&self.ledger));
        tokio::select! {
            never = follow(client.clone(), &pods, &self.pods) => never,
            never = follow(client, &nodes, &self.nodes) => never,
            never = list_unseen(&self.ledger, &self.pods) => never,
        }
    }

    /// How much of what happens is heard.
    #[must_use]
    pub fn hearing(&self) -> Hearing {
        if !self.is_filled() {
            Hearing::Nothing
        } else if self.nodes.is_clear() && self.pods.is_clear() {
            Hearing::Clear
        } else {
            Hearing::Doubtful
        }
    }

    /// Whether pods and nodes have been listed at least once.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.nodes.is_begun() && self.pods.is_begun()
    }

    /// Whether pods and nodes are listed when that is wanted, as far as the API server lets them be.
    ///
    /// # Errors
    /// Which are not, and for how long.
    pub fn is_going(&self) -> Result<(), String> {
        for (name, rounds) in [(Nodes::NAME, &self.nodes), (Pods::NAME, &self.pods)] {
            rounds
                .is_going()
                .map_err(|silence| format!("{name} have not been listed for {} s", silence.as_secs()))?;
        }
        Ok(())
    }

    /// Lists pods and nodes anew. Returns when they are in the ledger: it then knows of all bindings that were there before the call.
    pub async fn read_again(&self) {
        tokio::join!(self.nodes.another(), self.pods.another());
    }
}

#[cfg(test)]
pub(crate) mod tests;
