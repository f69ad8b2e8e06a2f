//! The webhook: what becomes of a pod before it is stored, and which pods never are.
//!
//! [`mutate`] fills in, [`validate`] refuses, [`templates`] warns; all are pure. [`review`] is what the API server sends and
//! gets, [`http`] where, under one of the [`certificates`].

pub mod certificates;
mod edit;
pub mod http;
pub mod meters;
pub mod mutate;
mod outlook;
mod pin;
pub mod review;
pub mod templates;
pub mod validate;
pub mod webhook;

use crate::api::Pod;
use crate::ledger::SharedLedger;
use crate::request::Reader;
use validate::Refusal;

/// The scheduler of pods that name none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The annotation with which kubelet shows a pod of its own files.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// What admission goes by.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Reads what a pod asks for. Its policies are written into pods that have none.
    pub reader: Reader,
    /// Our scheduler's name.
    pub scheduler_name: String,
    /// Who may write claims, as the API server names users. Nobody: claims are protected elsewhere.
    pub claim_writers: Vec<String>,
    /// What nodes have, to tell of what none has.
    pub ledger: Option<SharedLedger>,
}

/// A pod as it was sent, in JSON, and what is read of it. Nothing is kept of all else: a pod of a few MiB can be made to take
/// hundreds as values.
struct Sent<'a> {
    text: &'a str,
    pod: Pod,
}

impl<'a> Sent<'a> {
    fn read(text: &'a str) -> Result<Self, Malformed> {
        let pod = serde_json::from_str(text).map_err(Malformed)?;
        Ok(Self { text, pod })
    }

    /// Whether kubelet shows with it a pod of its own files. Such a pod runs already, and where it does.
    fn is_mirror(&self) -> bool {
        self.pod.annotation(MIRROR).is_some()
    }

    /// The scheduler that it names; `None` if it leaves that to the cluster.
    fn scheduler(&self) -> Option<&str> {
        let name = self.pod.spec.scheduler_name.as_deref();
        name.filter(|name| !name.is_empty() && *name != DEFAULT_SCHEDULER)
    }
}

/// An object is not of the shape of a pod.
#[derive(Debug, thiserror::Error)]
#[error("the object is no Pod: {0}")]
pub struct Malformed(serde_json::Error);

#[cfg(test)]
mod tests;
