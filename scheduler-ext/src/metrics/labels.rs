//! Labels, and the words that they can have.

use prometheus_client::encoding::EncodeLabelSet;

/// What kube-scheduler asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// On which nodes a pod fits.
    Filter,
    /// Which of them is the best.
    Prioritize,
    /// Who has to go so that it fits.
    Preempt,
    /// To bind it.
    Bind,
}

impl Verb {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Prioritize => "prioritize",
            Self::Preempt => "preempt",
            Self::Bind => "bind",
        }
    }
}

/// What is done for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// From its first byte to the answer.
    Total,
    /// Its body is received.
    Receive,
    /// It is understood.
    Parse,
    /// The ledger is asked, including the wait for it.
    Ledger,
    /// Of a bind: what the pod asks for is found out.
    LookUp,
    /// Of a bind: the API server is told.
    Post,
    /// Of a bind: it is found out whether the API server has done it.
    Settle,
}

impl Stage {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Receive => "receive",
            Self::Parse => "parse",
            Self::Ledger => "ledger",
            Self::LookUp => "look-up",
            Self::Post => "post",
            Self::Settle => "settle",
        }
    }
}

/// Labels of requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Request {
    pub(super) verb: &'static str,
    pub(super) outcome: &'static str,
}

/// Labels of durations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Step {
    pub(super) verb: &'static str,
    pub(super) stage: &'static str,
}

/// Labels of refused nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Reason {
    pub(super) reason: &'static str,
}

/// Labels of binds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Word {
    pub(super) outcome: &'static str,
}

/// Labels of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Gpu {
    pub(super) node: String,
    pub(super) gpu_uuid: String,
    pub(super) model: String,
}
