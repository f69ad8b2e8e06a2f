//! The devices that kubelet counts: each GPU as many times as containers may share it.
//!
//! They are counters and no more. Which GPU a container gets is in its pod's claim, so the GPU that an id names may be another.

use std::fmt;
use std::str::FromStr;

use contract::Uuid;

use crate::proto::deviceplugin::{Device, NumaNode, TopologyInfo};

/// Kubelet's word for a device that may be given out.
pub const HEALTHY: &str = "Healthy";
/// Kubelet's word for one that may not.
pub const UNHEALTHY: &str = "Unhealthy";

/// Between the GPU and the number of its part.
const SEPARATOR: &str = "::";

/// Names one of the parts into which a GPU is split, as in `GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e7f::3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId {
    /// The GPU that it was split from.
    pub gpu: Uuid,
    /// Its number among the parts, from 0.
    pub part: u32,
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}", self.gpu, self.part)
    }
}

/// The text is not one of our device ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a device id of the form GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx::0")]
pub struct ParseDeviceIdError;

impl FromStr for DeviceId {
    type Err = ParseDeviceIdError;

    /// Reads what `Display` writes, and nothing else.
    fn from_str(text: &str) -> Result<Self, ParseDeviceIdError> {
        let (gpu, part) = text.split_once(SEPARATOR).ok_or(ParseDeviceIdError)?;
        let (Ok(gpu), Ok(part)) = (gpu.parse(), part.parse()) else { return Err(ParseDeviceIdError) };
        let id = Self { gpu, part };
        (id.to_string() == text).then_some(id).ok_or(ParseDeviceIdError)
    }
}

/// What kubelet is told of one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertised {
    /// Which GPU.
    pub gpu: Uuid,
    /// How many containers may share it.
    pub parts: u32,
    /// May it be given out?
    pub healthy: bool,
    /// The NUMA node that kubelet shall align processors and memory with, if it shall.
    pub numa_hint: Option<u32>,
}

impl Advertised {
    fn devices(self) -> impl Iterator<Item = Device> {
        let health = if self.healthy { HEALTHY } else { UNHEALTHY };
        let topology =
            self.numa_hint.map(|node| TopologyInfo { nodes: vec![NumaNode { id: i64::from(node) }] });
        (0..self.parts).map(move |part| Device {
            id: DeviceId { gpu: self.gpu, part }.to_string(),
            health: health.to_owned(),
            topology: topology.clone(),
        })
    }
}

/// All devices of the node, in the order of `gpus`.
#[must_use]
pub fn devices(gpus: &[Advertised]) -> Vec<Device> {
    gpus.iter().flat_map(|gpu| gpu.devices()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GPU: Uuid = Uuid([7; 16]);

    #[test]
    fn each_part_of_a_gpu_is_a_device() {
        let gpu = Advertised { gpu: GPU, parts: 2, healthy: true, numa_hint: None };
        let sick = Advertised { gpu: Uuid([8; 16]), parts: 1, healthy: false, numa_hint: Some(1) };
        let devices = devices(&[gpu, sick]);
        let told: Vec<_> =
            devices.iter().map(|device| (device.id.as_str(), device.health.as_str())).collect();
        assert_eq!(
            told,
            [
                ("GPU-07070707-0707-0707-0707-070707070707::0", HEALTHY),
                ("GPU-07070707-0707-0707-0707-070707070707::1", HEALTHY),
                ("GPU-08080808-0808-0808-0808-080808080808::0", UNHEALTHY),
            ]
        );
        assert_eq!(devices[0].topology, None);
        assert_eq!(devices[2].topology.as_ref().map(|topology| topology.nodes[0].id), Some(1));
    }

    #[test]
    fn other_ids_are_not_ours() {
        let id = DeviceId { gpu: GPU, part: 1 }.to_string();
        for text in [
            "",
            "::1",
            &id[4..],
            &id.replace("::1", "::01"),
            &id.replace("::1", "-1"),
            &id.replace("::1", "::"),
        ] {
            assert_eq!(text.parse::<DeviceId>(), Err(ParseDeviceIdError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes: [u8; 16], part: u32) {
            let id = DeviceId { gpu: Uuid(bytes), part };
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
    }
}
