//! What kube-scheduler asks an extender.

pub mod wire;
