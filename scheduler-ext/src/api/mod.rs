//! The API server, and what is read of its objects, and no more: every pod and node of a cluster passes through here at each of its changes.

mod client;
mod constraints;
mod metadata;
mod node;
mod object;
mod pod;

pub use client::connect;
pub use constraints::{Affinity, NodeAffinity, NodeExpression, NodeSelector, NodeTerm, Toleration};
pub use node::{Condition, Node, NodeSpec, NodeStatus, Taint};
pub(crate) use object::or_null;
pub use pod::{Container, ContainerState, ContainerStatus, Pod, PodSpec, PodStatus, Resources, Waiting};
