//! What a pod asks for.

use std::fmt;

use crate::amount::Amount;
use crate::node::{Device, Node};
use crate::peak::Role;

/// Memory of each slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In the node's unit.
    Units(u64),
    /// Percent of what may be claimed of the device.
    Percent(u64),
    /// All that may be claimed of the device.
    Whole,
}

/// Time of each slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// No limit, and no promise.
    Unlimited,
    /// So many percent of the device. 100 is the device alone, unless more than 100 are given out of it.
    Percent(u64),
    /// The device alone.
    Alone,
}

impl Cores {
    /// Whether this means that nobody else may have any of a device with this capacity.
    #[must_use]
    pub const fn is_alone(self, capacity: Amount) -> bool {
        match self {
            Self::Unlimited => false,
            Self::Percent(percent) => percent >= 100 && capacity.cores <= 100,
            Self::Alone => true,
        }
    }
}

/// What one container asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerRequest {
    /// Its name.
    pub name: String,
    /// When it runs.
    pub role: Role,
    /// Of how many different devices it wants a slice.
    pub count: usize,
    /// Memory of each.
    pub memory: Memory,
    /// Time of each.
    pub cores: Cores,
}

impl ContainerRequest {
    /// What it needs of this device.
    #[must_use]
    pub fn need(&self, device: &Device, node: &Node) -> Amount {
        let all = device.capacity;
        let memory = match self.memory {
            Memory::Units(units) => units.saturating_mul(node.memory_factor),
            Memory::Percent(percent) => (all.memory.saturating_mul(percent) / 100).max(1),
            Memory::Whole => all.memory,
        };
        let cores = match self.cores {
            Cores::Unlimited => 0,
            Cores::Percent(percent) => percent,
            Cores::Alone => all.cores.min(100),
        };
        Amount { slots: 1, memory, cores, is_exclusive: self.cores.is_alone(all) }
    }
}

/// Which of several that fit is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The first.
    #[default]
    None,
    /// The one that is used most.
    Binpack,
    /// The one that is used least.
    Spread,
}

/// How the devices of one container lie to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// Anyhow.
    #[default]
    Any,
    /// At one NUMA node.
    Numa {
        /// Rather not at all than otherwise.
        is_strict: bool,
    },
    /// As near to each other as can be.
    Link {
        /// Rather not at all than without `NVLinks` among all of them.
        is_strict: bool,
    },
}

/// Memory that there is, or also memory that is given out beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryKind {
    /// Either.
    #[default]
    Any,
    /// Only nodes that give out what they have.
    Physical,
    /// Only nodes that give out more.
    Virtual,
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "any",
            Self::Physical => "physical",
            Self::Virtual => "virtual",
        })
    }
}

/// Which devices a pod accepts. Each entry is a part of a name, in either case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these models; all, when there is none.
    pub models: Vec<String>,
    /// None of these models.
    pub not_models: Vec<String>,
    /// Only these devices; all, when there is none.
    pub uuids: Vec<String>,
    /// None of these devices.
    pub not_uuids: Vec<String>,
}

impl Selection {
    /// Whether it tells devices apart that differ in nothing but their identities.
    #[must_use]
    pub const fn names_devices(&self) -> bool {
        !self.uuids.is_empty() || !self.not_uuids.is_empty()
    }
}

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodRequest {
    /// The containers that ask for devices, in the order in which they start.
    pub containers: Vec<ContainerRequest>,
    /// Which devices they accept.
    pub selection: Selection,
    /// Which of several devices they get.
    pub policy: Policy,
    /// How the devices of one container lie to each other.
    pub topology: Topology,
    /// What memory they want.
    pub memory_kind: MemoryKind,
}
