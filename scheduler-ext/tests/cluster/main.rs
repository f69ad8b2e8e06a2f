//! The scheduler on a real cluster of two nodes, as the chart installs it: an unmodified kube-scheduler with the extender beside it,
//! node agents, and simulated cards in the pods.
//!
//! Run by `cargo xtask kube test`; needs the stage. While a test goes on, an auditor of its own compares what pods were given with what
//! nodes have.

mod auditor;
mod clock;
mod door;
mod example;
mod installation;
mod ledgers;
mod liveness;
mod outage;
mod placing;
mod preemption;
mod questions;
mod site;
mod storm;
mod tenant;
mod variant;
