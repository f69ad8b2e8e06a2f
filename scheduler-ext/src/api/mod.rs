//! What is read of Kubernetes' objects, and no more: every pod and node of a cluster passes through here at each of its changes.

mod constraints;
mod metadata;
mod node;
mod object;
mod pod;

pub use constraints::{Affinity, NodeAffinity, NodeExpression, NodeSelector, NodeTerm, Toleration};
pub use node::{Condition, Node, NodeSpec, NodeStatus, Taint};
pub use pod::{Container, ContainerState, ContainerStatus, Pod, PodSpec, PodStatus, Resources, Waiting};
