//! The devices that this process launches on under a limit, and the thread that measures there.

use super::device::Metered;
use super::graphs::Graphs;
use super::meter::Meter;
use crate::state::{Device, Member};
use shared_region::DeviceIndex;
use std::sync::OnceLock;

/// All that a process needs for its launches. A forked child has its own.
#[derive(Default)]
pub(crate) struct Throttles {
    /// By their place in the region.
    devices: OnceLock<Box<[OnceLock<Box<Metered>>]>>,
    pub(super) meter: Meter,
    pub(super) graphs: Graphs,
}

impl Throttles {
    /// The device, of which launches are measured from now on. `None` in a forked child that has not joined.
    pub(super) fn of(
        &'static self,
        member: &'static Member,
        device: &'static Device,
    ) -> Option<&'static Metered> {
        let places = self
            .devices
            .get_or_init(|| std::iter::repeat_with(OnceLock::new).take(DeviceIndex::COUNT).collect());
        let place = places.get(device.index.index())?;
        if let Some(known) = place.get() {
            return Some(known);
        }
        let shared = member.account.compute(device.index)?;
        Some(place.get_or_init(|| Box::new(Metered::new(device, shared))))
    }

    /// The device at this place in the region, if launches on it have been measured.
    pub(super) fn at(&self, device: DeviceIndex) -> Option<&Metered> {
        self.devices.get()?.get(device.index())?.get().map(Box::as_ref)
    }

    /// Those of which launches have been measured.
    pub(super) fn metered(&self) -> impl Iterator<Item = &Metered> {
        self.devices.get().into_iter().flatten().filter_map(|place| place.get().map(Box::as_ref))
    }
}
