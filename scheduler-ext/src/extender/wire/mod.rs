//! Requests and answers as kube-scheduler writes and reads them: `k8s.io/kube-scheduler/extender/v1`, the same from 1.25 to 1.36.
//!
//! Its types have no JSON tags, so names begin with a capital, and what is absent is null. Both are read here: null and nothing
//! are alike, and names may be in lower case, as clients of older protocols write them.

mod answer;
mod nodes;
mod null;
mod request;

pub use answer::{BindAnswer, FilterAnswer, HostPriority, PreemptAnswer, Reasons};
pub use nodes::{NodeList, Offer, OfferedNode};
pub use request::{BindRequest, FilterRequest, MetaPod, MetaVictims, PreemptRequest, Victims};

#[cfg(test)]
mod tests;
