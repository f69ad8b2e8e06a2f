//! What a pod has been given: devices by UUID for each of its containers.
//!
//! The scheduler writes a claim as an annotation of the Binding, which the API server applies together with the node's name;
//! the node agent makes slices of it. One type, and a codec for each protocol: [our own](Claim::decode) and
//! [vgpu-manager's](Claim::from_pre_allocated).

mod names;
mod own;
mod pre_allocated;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;

pub use names::{ContainerName, NameError, PodUid};

use crate::limits_page::CAPACITY;
use crate::{Bytes, Percent, Uuid};

/// Memory in whole MiB, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mib(pub NonZeroU32);

impl Mib {
    /// So many MiB; `None` for zero.
    #[must_use]
    pub fn new(count: u32) -> Option<Self> {
        NonZeroU32::new(count).map(Self)
    }

    /// The same amount in bytes: less than 2⁵².
    #[must_use]
    pub fn bytes(self) -> Bytes {
        Bytes(u64::from(self.0.get()) << 20)
    }
}

impl fmt::Display for Mib {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB", self.0)
    }
}

/// A slice of one GPU for one container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedDevice {
    /// The GPU.
    pub uuid: Uuid,
    /// The most memory that the container may hold there.
    pub memory: Mib,
    /// The share of the GPU's time; `None` is no limit.
    pub cores: Option<Percent>,
}

/// The devices of one pod.
///
/// At least one container, each with at least one device and none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pod: PodUid,
    node: String,
    containers: BTreeMap<ContainerName, Vec<ClaimedDevice>>,
}

impl Claim {
    /// The claim of `pod`, which is bound to `node`.
    ///
    /// # Errors
    /// [`ClaimError`] when no container is named, or one has no device, the same one twice, or more than a limits page holds.
    pub fn new(
        pod: PodUid,
        node: String,
        containers: BTreeMap<ContainerName, Vec<ClaimedDevice>>,
    ) -> Result<Self, ClaimError> {
        if node.is_empty() {
            return Err(ClaimError::new("it names no node"));
        }
        if containers.is_empty() {
            return Err(ClaimError::new("it names no container"));
        }
        for (name, devices) in &containers {
            check_devices(name, devices)?;
        }
        Ok(Self { pod, node, containers })
    }

    /// Whose it is.
    #[must_use]
    pub const fn pod(&self) -> &PodUid {
        &self.pod
    }

    /// The node of whose GPUs it speaks.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The devices of each container that has any.
    #[must_use]
    pub const fn containers(&self) -> &BTreeMap<ContainerName, Vec<ClaimedDevice>> {
        &self.containers
    }
}

fn check_devices(name: &ContainerName, devices: &[ClaimedDevice]) -> Result<(), ClaimError> {
    if devices.is_empty() {
        return Err(ClaimError::new(format_args!("container {name} has no device")));
    }
    if devices.len() > CAPACITY {
        let count = devices.len();
        let fault = format_args!("container {name} has {count} devices, the most is {CAPACITY}");
        return Err(ClaimError::new(fault));
    }
    let mut seen = BTreeSet::new();
    match devices.iter().find(|device| !seen.insert(device.uuid)) {
        Some(twice) => {
            let fault = format_args!(
                "container {name} has {} twice; a container's devices are different GPUs",
                twice.uuid
            );
            Err(ClaimError::new(fault))
        }
        None => Ok(()),
    }
}

/// A claim cannot be understood, or says what no claim can say. One line, which names the place and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimError(String);

impl ClaimError {
    fn new(fault: impl fmt::Display) -> Self {
        Self(fault.to_string())
    }
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ClaimError {}
