//! What has become of devices, and what they have reported by themselves.

use serde::{Deserialize, Serialize};
use sim_model::{DeviceIndex, Nanos};

/// Whether a device can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// As it should be.
    #[default]
    Present,
    /// Counted, and every call about it fails: it has fallen off the bus.
    Lost,
    /// Not there: whoever looks at the machine from now on does not find it.
    Absent,
}

/// How a device is. Its memory and its work go on in any case: this is what is told of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Whether it can be reached.
    pub presence: Presence,
    /// Memory errors that could not be corrected since the machine started.
    pub uncorrectable_errors: u64,
    /// Whether a faulty row of its memory could not be replaced.
    pub remap_failed: bool,
    /// Whether it is in MIG mode.
    pub mig: bool,
}

/// An error that a device has reported by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// Counted from 1, over all devices.
    pub number: u64,
    /// Which device.
    pub device: DeviceIndex,
    /// The driver's number of the error.
    pub xid: u64,
}

/// What an observer does to a machine while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Disturbance {
    /// A device is in this condition from now on.
    Condition(DeviceIndex, Condition),
    /// A device reports an XID.
    Xid(DeviceIndex, u64),
    /// NVML gives no answer for so long.
    Hang(Nanos),
}
