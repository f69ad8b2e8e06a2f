//! What the agent tells whoever watches over it: metrics for Prometheus, and probes for kubelet.

pub mod attribution;
pub mod card;
pub mod conditions;
pub mod exporter;
mod meters;
pub mod node;
mod page;
pub mod serve;
pub mod slice;
pub mod text;
pub mod watched;

#[cfg(test)]
mod docs;
