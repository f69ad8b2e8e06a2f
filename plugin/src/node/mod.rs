//! What kubelet, the scheduler and the pods' preparation are to know of this node.

pub mod own;
pub mod view;
