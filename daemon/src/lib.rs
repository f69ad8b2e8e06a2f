//! What the programs of a cluster, the node agent and the scheduler extender, have in common: they are started by kubelet with flags,
//! write a log, end when they are told to, and tell Prometheus and kubelet how they do.

#![forbid(unsafe_code)]

pub mod flags;
pub mod http;
pub mod log;
pub mod pulse;
pub mod signals;
