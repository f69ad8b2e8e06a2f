//! What the agent tells whoever watches over it: metrics for Prometheus, and probes for kubelet.

pub mod answer;
pub mod conditions;
pub mod pulse;
pub mod serve;
pub mod watched;
