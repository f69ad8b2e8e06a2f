//! The GPUs this process has met. Identity is the UUID; ordinals are the driver's names for them in this process.

use super::lately::Lately;
use super::limits::Limit;
use crate::abi::driver::real;
use contract::Uuid;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use cuda_sys::{CUdevice, CUuuid};
use shared_region::DeviceIndex;
use std::sync::OnceLock;

/// A GPU this process uses.
pub(crate) struct Device {
    pub(crate) uuid: Uuid,
    /// Its place in the region.
    pub(crate) index: DeviceIndex,
    pub(crate) limit: Limit,
    /// What the driver pads the rows of pitched memory to, in bytes, once somebody has asked it.
    pub(crate) pitch_alignment: OnceLock<u64>,
    /// Whether the driver tells what an array takes without creating it, once somebody has asked it.
    pub(crate) tells_arrays: OnceLock<bool>,
    /// How much of its time the slice has used lately.
    pub(super) lately: Lately,
}

/// The devices met so far.
pub(super) struct Devices {
    /// By their place in the region. Each on its own, as most processes meet one and every page of memory costs them a page fault.
    met: Box<[OnceLock<Box<Device>>]>,
    /// For each ordinal, one more than the place of its device; 0 where it is not known yet.
    ordinals: Box<[AtomicU8]>,
}

impl Default for Devices {
    fn default() -> Self {
        // One by one onto the heap: applications make their first call from threads with very small stacks.
        Self {
            met: std::iter::repeat_with(OnceLock::new).take(DeviceIndex::COUNT).collect(),
            ordinals: std::iter::repeat_with(AtomicU8::default).take(DeviceIndex::COUNT).collect(),
        }
    }
}

impl Devices {
    #[inline]
    pub(super) fn by_ordinal(
        &self,
        ordinal: CUdevice,
        meet: impl FnOnce(Uuid) -> Option<Device>,
    ) -> Option<&Device> {
        let known = self.ordinals.get(usize::try_from(ordinal).ok()?)?;
        match known.load(Relaxed) {
            0 => self.identify(ordinal, known, meet),
            place => self.met.get(usize::from(place) - 1)?.get().map(Box::as_ref),
        }
    }

    #[inline]
    pub(super) fn at(&self, index: DeviceIndex) -> Option<&Device> {
        self.met.get(index.index())?.get().map(Box::as_ref)
    }

    /// The device at its place, which it takes if it is new.
    pub(super) fn by_uuid(&self, device: Device) -> Option<&Device> {
        Some(self.met.get(device.index.index())?.get_or_init(|| Box::new(device)))
    }

    #[cold]
    fn identify(
        &self,
        ordinal: CUdevice,
        known: &AtomicU8,
        meet: impl FnOnce(Uuid) -> Option<Device>,
    ) -> Option<&Device> {
        let device = self.by_uuid(meet(uuid(ordinal)?)?)?;
        known.store(u8::try_from(device.index.index() + 1).ok()?, Relaxed);
        Some(device)
    }
}

/// The identity of the device the driver calls `ordinal`.
fn uuid(ordinal: CUdevice) -> Option<Uuid> {
    let mut uuid = CUuuid::default();
    // SAFETY: `uuid` is valid for writing. Only this version tells MIG instances apart.
    let tells_instances = unsafe { real::cuDeviceGetUuid_v2(&raw mut uuid, ordinal) };
    // SAFETY: as above. A driver older than 11.4 has only this version.
    let found =
        tells_instances.is_success() || unsafe { real::cuDeviceGetUuid(&raw mut uuid, ordinal) }.is_success();
    found.then_some(Uuid(uuid.bytes))
}
