//! The slice this process lives in: its limits, and the account it shares with the container's other processes.

use super::device::{Device, Devices};
use super::lately::Lately;
use super::limits::{Limits, UNLIMITED};
use super::member::{Current, Member};
use super::processes::{self, Process};
use super::settings::Settings;
use super::sweep::Sweep;
use contract::Uuid;
use cuda_sys::CUdevice;
use policy::view::MemoryView;
use shared_region::{DeviceIndex, Region};
use std::sync::OnceLock;

/// Everything the hooks need. Lives until the process ends.
pub(crate) struct Slice {
    region: Region,
    limits: Limits,
    current: Current,
    devices: Devices,
    sweep: Sweep,
}

impl Slice {
    /// Opens the region, takes a slot and reads the limits.
    ///
    /// # Errors
    /// One line for standard error.
    pub(super) fn open(settings: Settings) -> Result<Self, String> {
        let region = settings.open_region().map_err(|error| format!("vgpu: {error}"))?;
        let current = Current::join(&region).map_err(|error| format!("vgpu: {error}"))?;
        Ok(Self {
            limits: Limits::new(settings)?,
            region,
            current,
            devices: Devices::default(),
            sweep: Sweep::default(),
        })
    }

    /// This process in the region; a forked child joins now. `None` where the region has no slot left.
    #[inline]
    pub(crate) fn member(&self) -> Option<&'static Member> {
        self.current.get_or_join(&self.region)
    }

    /// This process in the region; `None` in a forked child that has not joined, so that it holds nothing.
    #[inline]
    pub(crate) fn member_if_joined(&self) -> Option<&'static Member> {
        self.current.get()
    }

    /// Whether launches on any device are to be metered now. One or two loads while nothing changes.
    #[inline]
    pub(crate) fn meters_any(&self) -> bool {
        self.limits.meter_any()
    }

    /// The device the driver calls `ordinal` in this process.
    #[inline]
    pub(crate) fn device(&'static self, ordinal: CUdevice) -> Option<&'static Device> {
        self.devices.by_ordinal(ordinal, |uuid| self.meet(uuid))
    }

    /// The device at this place in the region, if this process has met it.
    #[inline]
    pub(crate) fn device_at(&'static self, index: DeviceIndex) -> Option<&'static Device> {
        self.devices.at(index)
    }

    /// The device with this UUID.
    pub(crate) fn device_with(&'static self, uuid: Uuid) -> Option<&'static Device> {
        self.devices.by_uuid(self.meet(uuid)?)
    }

    /// The slice's processes on `device` that this process can see.
    pub(crate) fn processes(&'static self, device: &Device) -> Vec<Process> {
        self.sweep_when_due();
        self.processes_now(device)
    }

    /// The same as things are: the dead may be among them.
    pub(super) fn processes_now(&self, device: &Device) -> Vec<Process> {
        processes::visible(self.region.holders(device.index))
    }

    /// Another number when other processes are members.
    pub(super) fn changes(&self) -> u64 {
        self.region.changes()
    }

    /// How much of the time of `device` the slice has used since that was asked last, in percent, as far as it is metered.
    pub(crate) fn use_lately(&self, device: &Device) -> u32 {
        device.lately.percent(|| self.region.busy(device.index))
    }

    /// What this process is told of `device`, which itself reports `real`; `None` where nothing limits it.
    pub(crate) fn view(&'static self, device: &Device, real: MemoryView) -> Option<MemoryView> {
        let limit = device.limit.bytes();
        if limit == UNLIMITED {
            return None;
        }
        self.sweep_when_due();
        Some(policy::view::limited(limit.0, self.region.total(device.index).0, real))
    }

    fn sweep_when_due(&'static self) {
        if let Some(member) = self.member_if_joined() {
            self.sweep.when_due(member);
            member.follow_pools();
            member.settle_orphans();
            self.observe_when_due();
        }
    }

    /// The first sight of a device.
    fn meet(&'static self, uuid: Uuid) -> Option<Device> {
        let index = self.region.device(uuid).ok()?;
        Some(Device {
            uuid,
            index,
            limit: self.limits.of(uuid),
            pitch_alignment: OnceLock::new(),
            tells_arrays: OnceLock::new(),
            lately: Lately::default(),
        })
    }
}
