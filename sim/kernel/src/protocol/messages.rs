//! Parts of requests and answers that are not the model's.

use serde::{Deserialize, Serialize};
use sim_model::{DeviceDescription, PieceId, PoolId, Refusal};

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `libcuda`: owns contexts, memory and work, which die with it.
    Cuda,
    /// `libnvidia-ml`: looks at devices and processes.
    Nvml,
    /// A test or a tool: may read the truth, inject faults, and keeps the machine alive.
    Observer,
}

/// The machine as its users see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineDescription {
    /// Driver version that NVML reports instead of the profile's own.
    pub driver_version: Option<String>,
    /// Devices by index, without those that are absent.
    pub devices: Vec<DeviceDescription>,
}

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Exported {
    /// A piece of physical memory, which it keeps alive.
    Piece(PieceId),
    /// A pool, which it does not.
    Pool(PoolId),
}

/// Which request an injected fault answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// Creation of a context.
    CreateContext,
    /// An allocation of any kind.
    Allocate,
    /// A kernel launch.
    Launch,
}

/// A fault that is to happen once, to whichever process comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// The request that fails.
    pub subject: Subject,
    /// How many of these requests go well first.
    pub after: u32,
    /// What it fails with.
    pub refusal: Refusal,
}
