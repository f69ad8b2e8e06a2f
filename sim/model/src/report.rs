//! What the machine tells about itself: to NVML, and to the tests that judge by it.

use serde::{Deserialize, Serialize};

use crate::{Bytes, DeviceIndex, Nanos};

/// Memory of one device at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryInfo {
    /// All of it, as NVML counts (`nvmlMemory_t.total`).
    pub total: Bytes,
    /// What the device keeps for itself; CUDA's total is `total - reserved`.
    pub reserved: Bytes,
    /// Resident for processes; `total = reserved + used + free`.
    pub used: Bytes,
    /// Available to processes.
    pub free: Bytes,
}

/// Memory of one host process on one device. Processes without a context there are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMemory {
    /// Host process id.
    pub pid: u32,
    /// Device memory with the overhead of contexts, without managed memory (a real card does not attribute that).
    pub used: Bytes,
}

/// Utilisation of one device over the last complete sample window, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Utilization {
    /// Time during which any kernel was resident, however small.
    pub gpu: u32,
    /// Time during which memory was read or written.
    pub memory: u32,
}

/// Utilisation of one device over one sample window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// End of the window, on CLOCK_MONOTONIC.
    pub time: Nanos,
    /// What it was.
    pub utilization: Utilization,
}

/// Use of one device by one host process over one sample window; windows without use are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSample {
    /// Host process id.
    pub pid: u32,
    /// End of the window, on CLOCK_MONOTONIC.
    pub time: Nanos,
    /// What it was.
    pub utilization: Utilization,
}

/// What really happened on the machine: the figures that tests judge by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Instant of the figures, on CLOCK_MONOTONIC.
    pub now: Nanos,
    /// Every device, by index.
    pub devices: Vec<DeviceTruth>,
    /// Every live process on every device where it holds a context, by device and pid.
    pub processes: Vec<ProcessTruth>,
}

/// What really happened on one device. A peak is the highest value at any instant since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTruth {
    /// Which device.
    pub device: DeviceIndex,
    /// Bytes of live linear and pitched allocations as asked for (rows at their pitch), and of arrays as they are laid out.
    pub requested: Bytes,
    /// Peak of `requested`.
    pub requested_peak: Bytes,
    /// Bytes of live managed allocations as asked for.
    pub managed: Bytes,
    /// Peak of `managed`.
    pub managed_peak: Bytes,
    /// Bytes that pools have reserved.
    pub pooled: Bytes,
    /// Peak of `pooled`.
    pub pooled_peak: Bytes,
    /// Bytes that are reserved for memory of graphs.
    pub graphs: Bytes,
    /// Bytes of variables of modules, and what graphs take for themselves while they can be launched.
    pub code: Bytes,
    /// Bytes that kernels need beyond what every context has: larger stacks, heaps and the like.
    pub runtime: Bytes,
    /// Overhead of live contexts.
    pub overhead: Bytes,
    /// `requested + managed + pooled + graphs + overhead`: what a limit on this device has to hold.
    pub charged: Bytes,
    /// Peak of `charged`.
    pub charged_peak: Bytes,
    /// Device memory in use, in whole chunks, with the overhead of contexts and resident managed memory.
    pub resident: Bytes,
    /// Peak of `resident`.
    pub resident_peak: Bytes,
    /// Part of `resident` that is managed memory.
    pub managed_resident: Bytes,
    /// Live allocations of every kind.
    pub allocations: u64,
    /// Live contexts.
    pub contexts: u64,
    /// Allocations granted since the machine started.
    pub granted: u64,
    /// Allocations and contexts refused for want of memory since the machine started.
    pub refused: u64,
    /// Kernels completed since the machine started.
    pub kernels: u64,
    /// Time during which a kernel was resident.
    pub busy: Nanos,
}

/// What one host process really has on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessTruth {
    /// Which device.
    pub device: DeviceIndex,
    /// Host process id.
    pub pid: u32,
    /// Bytes of its live linear and pitched allocations as asked for.
    pub requested: Bytes,
    /// Bytes of its live managed allocations as asked for.
    pub managed: Bytes,
    /// Bytes that its pools have reserved.
    pub pooled: Bytes,
    /// Bytes that are reserved for memory of its graphs.
    pub graphs: Bytes,
    /// Device memory in use, in whole chunks, with the overhead of its contexts, without managed memory.
    pub used: Bytes,
    /// Its live contexts.
    pub contexts: u64,
    /// Kernels it completed.
    pub kernels: u64,
    /// Time during which a kernel of its was resident.
    pub busy: Nanos,
}
