//! Why a pod does not fit.

use std::collections::BTreeMap;
use std::fmt;

use crate::request::{MemoryKind, Topology};

/// Why a container cannot have one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// It is not to be used now.
    Unhealthy,
    /// It is divided into instances, which are devices by themselves.
    Mig,
    /// The pod wants other models.
    Model,
    /// The pod wants other devices.
    Uuid,
    /// Somebody has it alone.
    Exclusive,
    /// The pod wants it alone, and somebody is there.
    InUse,
    /// As many containers share it as may.
    Slots,
    /// Too little memory is left.
    Memory,
    /// Too little of its time is left.
    Cores,
}

impl Obstacle {
    /// All of them, in the order in which they are tested.
    pub(crate) const ALL: [Self; 9] = [
        Self::Unhealthy,
        Self::Mig,
        Self::Model,
        Self::Uuid,
        Self::Exclusive,
        Self::InUse,
        Self::Slots,
        Self::Memory,
        Self::Cores,
    ];

    /// The same words for all nodes, so that kube-scheduler can count them.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Unhealthy => "GPU unhealthy",
            Self::Mig => "GPU has MIG enabled",
            Self::Model => "GPU type mismatch",
            Self::Uuid => "GPU UUID mismatch",
            Self::Exclusive => "GPU used exclusively",
            Self::InUse => "GPU in use",
            Self::Slots => "Insufficient vGPU slots",
            Self::Memory => "Insufficient vGPU memory",
            Self::Cores => "Insufficient vGPU cores",
        }
    }
}

/// Why a node does not take a pod. `Display` has the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There are no devices.
    NoDevices,
    /// Memory on this node is of another kind than the pod wants.
    MemoryKind(MemoryKind),
    /// One container alone finds too few devices.
    Container {
        /// Which.
        name: String,
        /// How many different devices it wants.
        wanted: usize,
        /// How many it could have.
        fitting: usize,
        /// What is in the way of the others, and on how many.
        obstacles: BTreeMap<Obstacle, usize>,
    },
    /// Each set of devices that one container could have is spread too far.
    Topology {
        /// Which container.
        name: String,
        /// What it wants of them.
        topology: Topology,
    },
    /// Each container would find devices alone, and all together do not.
    Together,
    /// Each container would find devices alone; whether all together do would have taken too long to find out.
    Effort,
}

impl Refusal {
    /// The same words for all nodes that refuse for the same reason, so that kube-scheduler can count them.
    #[must_use]
    pub fn phrase(&self) -> &'static str {
        match self {
            Self::NoDevices => "node has no vGPU registered",
            Self::MemoryKind(_) => "node memory type mismatch",
            Self::Container { wanted, fitting, obstacles, .. } => {
                // What no waiting helps against; else the most frequent; of equals the one that is tested first.
                let has_too_few = fitting + obstacles.values().sum::<usize>() < *wanted;
                let most = obstacles.iter().rev().max_by_key(|(_, count)| **count).filter(|_| !has_too_few);
                most.map_or("Insufficient GPU cards", |(obstacle, _)| obstacle.phrase())
            }
            Self::Topology { topology: Topology::Numa { .. }, .. } => "NUMA topology unsatisfied",
            Self::Topology { .. } => "Link topology unsatisfied",
            Self::Together => "Insufficient GPU resources",
            Self::Effort => "too many combinations of GPUs to try",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Container { name, wanted, fitting, obstacles } => {
                let plural = if *wanted == 1 { "" } else { "s" };
                write!(f, "container {name} wants {wanted} GPU{plural} and could have {fitting}")?;
                for (place, (obstacle, count)) in obstacles.iter().enumerate() {
                    let before = if place == 0 { ": " } else { ", " };
                    write!(f, "{before}{} ({count})", obstacle.phrase())?;
                }
                Ok(())
            }
            Self::Topology { name, .. } => write!(f, "container {name}: {}", self.phrase()),
            Self::Together => {
                f.write_str("Insufficient GPU resources: each container would fit alone, all together do not")
            }
            Self::MemoryKind(kind) => write!(f, "{}: the pod wants {kind} memory", self.phrase()),
            Self::Effort => {
                write!(
                    f,
                    "{}: each container would fit alone, no way was found for all together",
                    self.phrase()
                )
            }
            Self::NoDevices => f.write_str(self.phrase()),
        }
    }
}

impl std::error::Error for Refusal {}
