//! What a scheduler needs to know of a node's GPUs.
//!
//! The node agent writes it as annotations of its Node, when it has changed. One type, and a codec for each protocol: so far
//! [vgpu-manager's](NodeRegistration::register_annotation).

mod topology;
mod vgpu_manager;

use std::fmt;

use crate::Uuid;
use crate::limits_page::CAPACITY;
pub use topology::{Connection, NodeTopology, Way};

/// The most GPUs of a node that are read: more than a machine has, and as many as a container can be given.
pub const GPUS_MAX: usize = CAPACITY;

/// One GPU of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredGpu {
    /// Its place in the driver's order.
    pub index: u32,
    /// Its identity.
    pub uuid: Uuid,
    /// Its product name, such as `NVIDIA H100 80GB HBM3`.
    pub model: String,
    /// Percent of its time that may be claimed, all claims together.
    pub cores: u32,
    /// MiB that may be claimed, all claims together.
    pub memory: u32,
    /// How many containers may share it.
    pub split_count: u32,
    /// The NUMA node that it is attached to, where there are several.
    pub numa: Option<u32>,
    /// Is it divided into instances that are devices by themselves?
    pub mig: bool,
    /// Its address, as in `00000000:01:00.0`.
    pub pci: String,
    /// What its code is compiled for, as in 9.0.
    pub capability: (u32, u32),
    /// May it be given out now?
    pub healthy: bool,
    /// When it came, as a number that only grows: with another one, what lay on the GPU before is gone. 0 where nobody tells.
    pub incarnation: u64,
}

/// The GPUs of a node, and how they are given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRegistration {
    /// In the driver's order.
    pub gpus: Vec<RegisteredGpu>,
    /// How many containers may share a GPU.
    pub split_count: u32,
    /// How many MiB one unit of the memory resource is.
    pub memory_factor: u32,
    /// How much memory is given out of what there is, in thousandths.
    pub memory_scaling: u32,
    /// How much compute time is given out of what there is, in thousandths.
    pub cores_scaling: u32,
}

/// Fails for more GPUs than are read.
fn check_count(what: &str, count: usize) -> Result<(), RegistrationError> {
    if count > GPUS_MAX {
        return Err(RegistrationError(format!("{what} {count} GPUs, the most is {GPUS_MAX}")));
    }
    Ok(())
}

/// The text is no registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationError(String);

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegistrationError {}
