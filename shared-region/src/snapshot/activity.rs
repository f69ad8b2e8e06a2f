//! What a slice's processes do with GPUs' time, for whoever divides that among slices: it looks often, so this is a part of a
//! snapshot that costs little.

use std::os::fd::AsFd;
use std::path::Path;

use contract::Uuid;

use super::copy::{Copier, SlotCopy};
use super::{ComputeUse, Correction};
use crate::devices::{DeviceIndex, uuid_of};
use crate::error::{OpenError, OpenFault};
use crate::file::content::system;
use crate::file::open_to_read;
use crate::layout::{is_free, lock_bytes, owners};
use crate::ledger::SlotId;
use crate::lock::is_locked;

/// What the processes of a slice have done so far. No more to be believed than a [`Snapshot`](super::Snapshot).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The GPUs that the region knows.
    pub devices: Vec<Uuid>,
    /// How what is measured on each of them is corrected, in that order.
    pub corrections: Vec<Correction>,
    /// The processes; dead ones among them do nothing any more.
    pub processes: Vec<ProcessActivity>,
}

/// What one process has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessActivity {
    /// Its slot.
    pub slot: SlotId,
    /// How many owners the slot has had, this one included.
    pub incarnation: u64,
    /// What it does with each of [`Activity::devices`], in that order.
    pub uses: Vec<ComputeUse>,
}

impl Activity {
    /// Reads the region at `path`, as [`Snapshot::read`](super::Snapshot::read) does.
    ///
    /// # Errors
    /// [`OpenError`] when there is no whole region.
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        let Some(file) = open_to_read(path)? else { return Ok(Self::default()) };
        Self::copy(&Copier { file }).map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    fn copy(copier: &Copier<impl AsFd>) -> Result<Self, OpenFault> {
        let known = DeviceIndex::all().zip(copier.devices()?);
        let known = known.filter_map(|(index, entry)| Some((index, uuid_of(entry.key)?)));
        let (indices, devices): (Vec<_>, Vec<_>) = known.unzip();
        let corrections =
            indices.iter().map(|device| copier.correction(*device)).collect::<Result<_, _>>()?;
        let used = copier.slots_used()?;
        let before = copier.slots(used)?;
        let mut processes = Vec::new();
        for (slot, entry) in SlotId::all().zip(&before).filter(|(_, entry)| !is_free(entry.tenure)) {
            processes.push(ProcessActivity::copy(copier, slot, entry.tenure, &indices)?);
        }
        // Whose slot has changed hands meanwhile is gone, or new since this began.
        let after = copier.slots(used)?;
        let tenure = |slots: &[SlotCopy], slot: SlotId| slots.get(slot.index()).map(|entry| entry.tenure);
        processes.retain(|process| tenure(&before, process.slot) == tenure(&after, process.slot));
        Ok(Self { devices, corrections, processes })
    }
}

impl ProcessActivity {
    fn copy(
        copier: &Copier<impl AsFd>,
        slot: SlotId,
        tenure: u64,
        devices: &[DeviceIndex],
    ) -> Result<Self, OpenFault> {
        // Devices are known by low numbers.
        let count = devices.last().map_or(0, |last| last.index() + 1);
        let mut all = copier.compute_uses(slot, count)?;
        // What the dead have done is of no more interest than what the living do no more, but they do not wait.
        let waits = all.iter().any(|using| using.waiting > 0);
        if waits && !is_locked(&copier.file, lock_bytes::life(slot)).map_err(system("ask for its locks"))? {
            all.iter_mut().for_each(|using| using.waiting = 0);
        }
        let uses = devices.iter().filter_map(|device| all.get(device.index()).copied()).collect();
        Ok(Self { slot, incarnation: owners(tenure), uses })
    }
}
