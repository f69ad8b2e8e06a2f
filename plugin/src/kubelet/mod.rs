//! Both sides of the conversation with kubelet.

pub mod calls;
pub mod checkpoint;
pub mod devices;
pub mod pod_resources;
pub mod prepare;
pub mod register;
pub mod serve;
mod socket;
