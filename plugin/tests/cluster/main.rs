//! The agent on a real kubelet with a real container runtime, and the simulated card in the pods.
//!
//! Run by `cargo xtask kube test`; needs the stage. Claims are written by a stand-in for the scheduler, as that will: in the
//! Binding.

mod agent;
mod full;
mod leaving;
mod machine;
mod metrics;
mod node;
mod outsiders;
mod refusals;
mod restarts;
mod shares;
mod slices;
mod storm;
mod tenant;
