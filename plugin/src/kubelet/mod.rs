//! Both sides of the conversation with kubelet.

pub mod prepare;
