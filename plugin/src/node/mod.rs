//! What kubelet, the scheduler and the pods' preparation are to know of this node.

pub mod desired;
pub mod notices;
pub mod own;
pub mod publish;
pub mod view;
