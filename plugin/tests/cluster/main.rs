//! The agent on a real kubelet with a real container runtime, and the simulated card in the pods.
//!
//! Run by `cargo xtask kube test`; needs the stage. The agent is installed by its chart. Claims are written by a stand-in for the
//! scheduler, as that will: in the Binding.

mod agent;
mod chart;
mod faults;
mod full;
mod image;
mod leaving;
mod manifests;
mod metrics;
mod node;
mod outsiders;
mod policies;
mod refusals;
mod restarts;
mod shares;
mod slices;
mod storm;
mod tenant;
mod upgrade;
