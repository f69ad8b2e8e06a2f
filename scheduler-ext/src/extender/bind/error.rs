//! Why a pod is not bound.

use crate::ledger::AssumeError;
use crate::request::AskError;

/// Why a pod is not bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The request names no pod or no node.
    #[error("{0}")]
    Invalid(String),
    /// Another replica binds pods, or none does.
    #[error("this replica does not lead: pods are bound by the one that does")]
    NotLeading,
    /// A bind of it to another node goes on.
    #[error("the pod is being bound to node {0}")]
    Elsewhere(String),
    /// What it asks for cannot be found out.
    #[error("the pod cannot be read: {0}")]
    NotFound(String),
    /// There is no such pod any more.
    #[error("the pod is gone, or another one has its name")]
    Gone,
    /// It asks for what nobody can have.
    #[error(transparent)]
    Impossible(#[from] AskError),
    /// The node has no room for it.
    #[error(transparent)]
    NoRoom(#[from] AssumeError),
    /// The API server does not bind it.
    #[error("the API server does not bind the pod: {0}")]
    Refused(String),
    /// It is bound otherwise.
    #[error("the pod is bound already, and not with this claim: to node {0}")]
    Taken(String),
    /// Nothing was sent: kube-scheduler has given the pod up meanwhile.
    #[error("the API server was not told in time: other binds are under way")]
    TooLate,
    /// The API server may have bound it, or may do so yet.
    #[error(
        "the API server does not say whether the pod is bound; what was reserved for it stays reserved until it does"
    )]
    Unsettled,
    /// A fault of this program.
    #[error("the bind has broken off: see the log of the scheduler extender")]
    Internal,
}

/// In a word, of which there are few.
pub(super) const fn outcome(result: &Result<(), BindError>) -> &'static str {
    match result {
        Ok(()) => "bound",
        Err(BindError::Invalid(_) | BindError::Impossible(_)) => "invalid",
        Err(BindError::NotLeading) => "not-leading",
        Err(BindError::Elsewhere(_) | BindError::Taken(_)) => "conflict",
        Err(BindError::NotFound(_) | BindError::Refused(_) | BindError::Unsettled | BindError::TooLate) => {
            "api-server"
        }
        Err(BindError::Gone) => "gone",
        Err(BindError::NoRoom(_)) => "no-room",
        Err(BindError::Internal) => "internal",
    }
}
