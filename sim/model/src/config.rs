//! Description of a machine as a person writes it, and the default one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// A machine of 1 to [`MachineConfig::MAX_DEVICES`] devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MachineConfig {
    /// Driver version that NVML reports instead of the profile's own, such as `550.163.01`.
    pub driver_version: Option<String>,
    /// Devices in PCI order. `[[devices]]` tables of the file; each may leave out what is as in the default card.
    pub devices: Vec<DeviceConfig>,
}

/// One device. Sizes are in bytes, times in nanoseconds. The default is an H100 with 80 GB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceConfig {
    /// Marketing name.
    pub name: String,
    /// 32 hexadecimal digits, with or without the `GPU-` and the dashes. Left out: derived from the index.
    pub uuid: Option<String>,
    /// `domain:bus:device.0`, such as `00000000:1B:00.0`. Left out: derived from the index.
    pub pci: Option<String>,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Threads one multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// All memory, as NVML counts.
    pub total: Bytes,
    /// What the device keeps for itself: CUDA's total is `total - reserved`.
    pub reserved: Bytes,
    /// What a context takes.
    pub context_overhead: Bytes,
    /// Granularity of device memory: a power of two of at least 2 MiB.
    pub chunk: Bytes,
    /// Whether managed memory takes device memory only where it is touched. Without it, all of it at once.
    pub concurrent_managed_access: bool,
    /// How long a process has the device to itself while others wait for it.
    pub slice: Nanos,
    /// Launches a stream holds before the next launch waits.
    pub queue_depth: u32,
    /// Bytes a copy engine moves in a second between host and device.
    pub host_bandwidth: Bytes,
    /// Bytes the device's memory moves in a second.
    pub device_bandwidth: Bytes,
    /// Length of a utilisation sample. Real cards: 1/6 s to 1 s, by product (NVML documentation).
    pub sample_window: Nanos,
    /// The NUMA node that it is attached to.
    pub numa: u32,
    /// The PCIe switch that it is behind, if there is one.
    pub pcie_switch: Option<u32>,
    /// NVLinks to other devices: the index of the peer, once for each link.
    pub nvlinks: Vec<u32>,
    /// NVLinks to switches that connect every device with such links.
    pub nvswitch_links: u32,
}

/// What is wrong with a description: the field, the value, and what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub(crate) String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Default for MachineConfig {
    fn default() -> Self {
        Self::with_devices(1)
    }
}

impl Default for DeviceConfig {
    fn default() -> Self {
        Self {
            name: "NVIDIA H100 80GB HBM3".into(),
            uuid: None,
            pci: None,
            compute_capability: (9, 0),
            multiprocessors: 132,
            threads_per_multiprocessor: 2048,
            total: Bytes::from_mib(81_559),
            reserved: Bytes::from_mib(559),
            context_overhead: Bytes::from_mib(426),
            chunk: Bytes::from_mib(2),
            concurrent_managed_access: true,
            slice: Nanos::from_millis(2),
            queue_depth: 1024,
            host_bandwidth: Bytes(50_000_000_000),
            device_bandwidth: Bytes(3_350_000_000_000),
            sample_window: Nanos(166_666_667),
            numa: 0,
            pcie_switch: None,
            nvlinks: Vec::new(),
            nvswitch_links: 0,
        }
    }
}

impl MachineConfig {
    /// The most devices a machine can have.
    pub const MAX_DEVICES: usize = 16;

    /// A machine of so many default cards.
    #[must_use]
    pub fn with_devices(count: usize) -> Self {
        Self { driver_version: None, devices: vec![DeviceConfig::default(); count] }
    }
}
