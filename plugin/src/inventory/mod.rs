//! The devices of this node: what they are, and whether they can be given out.

pub mod census;
pub mod change;
pub mod health;
pub mod history;
pub mod links;
pub mod nvidia;

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use contract::{Bytes, Uuid};

use links::Links;

/// One device, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its place in the driver's order, which changes when another device comes or goes.
    pub index: u32,
    /// Its identity.
    pub uuid: Uuid,
    /// Its product name, such as `NVIDIA H100 80GB HBM3`.
    pub model: String,
    /// Its whole memory.
    pub memory: Bytes,
    /// Its address, as in `00000000:01:00.0`.
    pub pci: String,
    /// The NUMA node that it is attached to, where there are several.
    pub numa: Option<u32>,
    /// What its code is compiled for, as in 9.0.
    pub capability: (u32, u32),
    /// Is it divided into instances that are devices by themselves?
    pub mig: bool,
}

/// An error that a device has reported by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Which device; `None` when that cannot be told any more.
    pub gpu: Option<Uuid>,
    /// The driver's number of the error: NVIDIA's XID.
    pub code: u64,
}

/// What a look at the devices has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Devices that answer, in the driver's order.
    pub gpus: Vec<Gpu>,
    /// Devices that are there and do not answer, by their place in the driver's order, with the reason.
    pub broken: BTreeMap<u32, String>,
    /// Devices that answer and are not in order, with the reason.
    pub unfit: BTreeMap<Uuid, String>,
    /// What has happened since the last look.
    pub incidents: Vec<Incident>,
    /// What the driver says about itself.
    pub driver: Driver,
    /// How the devices are connected.
    pub links: Links,
}

/// The driver's versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// Its version, such as `550.163.01`.
    pub version: String,
    /// The newest CUDA that it runs, major and minor.
    pub cuda: (u32, u32),
}

/// How much of one device is used, by everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuUse {
    /// Which device.
    pub uuid: Uuid,
    /// Memory that programs have.
    pub used: Bytes,
    /// Memory that the driver keeps for itself.
    pub reserved: Bytes,
    /// Percent of the last moment in which it worked; `None` where the driver does not tell.
    pub busy: Option<u32>,
    /// The programs, as far as they can be seen from here.
    pub processes: Vec<ProcessUse>,
}

/// What one process has of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUse {
    /// Its id, as this program sees it.
    pub pid: u32,
    /// Its memory.
    pub used: Bytes,
    /// Percent of the last moment in which the device worked for it; `None` where the driver does not tell.
    pub busy: Option<u32>,
}

/// The driver does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

/// A kind of devices, by one driver.
pub trait Family: Send + Sync + 'static {
    /// Looks at all devices. Takes seconds at the most, also when the driver hangs.
    ///
    /// # Errors
    /// [`NoAnswer`]: nothing can be said about any device now.
    fn look(&self) -> impl Future<Output = Result<Look, NoAnswer>> + Send;

    /// Asks how much of each device is used, and waits for that at most as long as `within`. Devices that do not tell are left out.
    ///
    /// # Errors
    /// [`NoAnswer`]: nothing can be said about any device now.
    fn usage(&self, within: Duration) -> impl Future<Output = Result<Vec<GpuUse>, NoAnswer>> + Send;
}
