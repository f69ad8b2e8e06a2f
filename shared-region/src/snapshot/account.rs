//! What a region says of some GPUs, for whoever adds that up over time and reads many regions: it costs little, however the
//! region is filled with rubbish.

use std::os::fd::AsFd;
use std::path::Path;

use contract::{Bytes, Uuid};
use policy::compute::Nanos;

use super::copy::{Copier, SlotCopy};
use super::{ComputeUse, Correction};
use crate::devices::{DeviceIndex, uuid_of};
use crate::error::{OpenError, OpenFault};
use crate::file::content::system;
use crate::file::open_to_read;
use crate::layout::{is_free, lock_bytes, owners};
use crate::ledger::SlotId;
use crate::lock::is_locked;

/// What all processes of a slice hold and have done. No more to be believed than a [`Snapshot`](super::Snapshot).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Of each GPU that was asked for, in that order; `None` before a process has met it.
    pub gpus: Vec<Option<GpuAccount>>,
    /// Processes that live.
    pub processes: usize,
}

/// One GPU's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuAccount {
    /// What the processes that live hold.
    pub used: Bytes,
    /// Part of that which is contexts and the like.
    pub overhead: Bytes,
    /// The most that all processes have held together.
    pub peak: Bytes,
    /// Whether the account adds up, as far as can be told.
    pub adds_up: bool,
    /// Requests refused to all processes, also to those that are gone.
    pub refusals: u64,
    /// GPU time that all processes have metered, also those that are gone.
    pub metered: Nanos,
    /// How that is corrected.
    pub correction: Correction,
    /// What the processes do with its time: also those that are gone, until somebody takes their slot over.
    pub tenures: Vec<Tenure>,
}

/// What one owner of a slot has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// The slot.
    pub slot: SlotId,
    /// How many owners it has had, this one included.
    pub incarnation: u64,
    /// When the owner started, in clock ticks since boot.
    pub started: u64,
    /// What it has done.
    pub compute: ComputeUse,
}

impl Account {
    /// Reads what the region at `path` says of `gpus`, as [`Snapshot::read`](super::Snapshot::read) does.
    ///
    /// # Errors
    /// [`OpenError`] when there is no whole region.
    pub fn read(path: &Path, gpus: &[Uuid]) -> Result<Self, OpenError> {
        match open_to_read(path)? {
            Some(file) => {
                let copied = Self::copy(&Copier { file }, gpus);
                copied.map_err(|fault| OpenError { path: path.to_owned(), fault })
            }
            None => Ok(Self { gpus: vec![None; gpus.len()], processes: 0 }),
        }
    }

    fn copy(copier: &Copier<impl AsFd>, gpus: &[Uuid]) -> Result<Self, OpenFault> {
        let entries = copier.devices()?;
        let place = |gpu: &Uuid| entries.iter().position(|entry| uuid_of(entry.key).as_ref() == Some(gpu));
        let known: Vec<Option<DeviceIndex>> =
            gpus.iter().map(|gpu| place(gpu).and_then(DeviceIndex::new)).collect();
        let mut account = Self { gpus: Vec::with_capacity(gpus.len()), processes: 0 };
        for index in &known {
            let peak = index.and_then(|index| entries.get(index.index())).map_or(0, |entry| entry.peak);
            let gpu = index.map(|index| GpuAccount::copy(copier, index, Bytes(peak))).transpose()?;
            account.gpus.push(gpu);
        }
        let slots = copier.slots(copier.slots_used()?)?;
        for (slot, entry) in SlotId::all().zip(slots).filter(|(_, entry)| entry.tenure != 0) {
            account.add(copier, slot, entry, &known)?;
        }
        Ok(account)
    }

    /// Adds what the present owner of `slot`, or the last one, has done. A slot that changes hands meanwhile is left out.
    fn add(
        &mut self,
        copier: &Copier<impl AsFd>,
        slot: SlotId,
        entry: SlotCopy,
        known: &[Option<DeviceIndex>],
    ) -> Result<(), OpenFault> {
        let is_held = !is_free(entry.tenure);
        let alive = is_held
            && is_locked(&copier.file, lock_bytes::life(slot)).map_err(system("ask for its locks"))?;
        let count = known.iter().flatten().map(|index| index.index() + 1).max().unwrap_or(0);
        let uses = copier.compute_uses(slot, count)?;
        if copier.slot(slot)?.tenure != entry.tenure {
            return Ok(());
        }
        self.processes += usize::from(alive);
        for (index, gpu) in known.iter().zip(&mut self.gpus) {
            let (Some(index), Some(gpu)) = (index, gpu) else { continue };
            let mut compute = uses.get(index.index()).copied().unwrap_or_default();
            compute.waiting = if alive { compute.waiting } else { 0 };
            let incarnation = owners(entry.tenure);
            gpu.tenures.push(Tenure { slot, incarnation, started: entry.started, compute });
            if is_held {
                gpu.add_memory(copier, slot, *index, alive)?;
            }
        }
        Ok(())
    }
}

impl GpuAccount {
    fn copy(copier: &Copier<impl AsFd>, index: DeviceIndex, peak: Bytes) -> Result<Self, OpenFault> {
        let balance = copier.balance(index)?;
        let compute = copier.compute_words(index)?;
        Ok(Self {
            used: balance.total,
            overhead: Bytes::ZERO,
            peak,
            adds_up: balance.held.is_none_or(|held| held == balance.total),
            refusals: copier.refusals(index)?.total(),
            metered: Nanos(compute.get(METERED).copied().unwrap_or(0)),
            correction: Correction::from_words(&compute),
            tenures: Vec::new(),
        })
    }

    /// What a dead process holds is its slice's until somebody needs it, but nothing that is used.
    fn add_memory(
        &mut self,
        copier: &Copier<impl AsFd>,
        slot: SlotId,
        index: DeviceIndex,
        alive: bool,
    ) -> Result<(), OpenFault> {
        let cell = copier.cell(slot, index)?;
        if alive {
            self.overhead = self.overhead.saturating_add(Bytes(cell.overhead));
        } else {
            self.used = self.used.saturating_sub(Bytes(cell.used(slot, copier.head(index)?)));
        }
        Ok(())
    }
}

/// The word of a device's compute words that has the GPU time metered.
const METERED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;

    const GPU: Uuid = Uuid([7; 16]);
    const OTHER: Uuid = Uuid([8; 16]);

    #[test]
    fn an_account_has_what_was_asked_for_also_of_processes_that_are_gone() {
        let path = std::env::temp_dir().join(format!("vgpu-account-{}", std::process::id()));
        let region = Region::open(&path).unwrap();
        assert_eq!(Account::read(&path, &[GPU]).unwrap().gpus, [None]);
        let device = region.device(GPU).unwrap();
        let [one, other] = [region.join().unwrap(), region.join().unwrap()];
        one.charge(device, Bytes(10));
        other.charge(device, Bytes(20));
        other.note_overhead(device, Bytes(5));
        one.compute(device).unwrap().trim.meter(Nanos(700));
        let account = Account::read(&path, &[OTHER, GPU]).unwrap();
        let [None, Some(gpu)] = &account.gpus[..] else { panic!("{account:?}") };
        assert_eq!((gpu.used, gpu.overhead, gpu.peak), (Bytes(30), Bytes(5), Bytes(30)));
        assert_eq!((gpu.metered, gpu.refusals, gpu.adds_up), (Nanos(700), 0, true));
        assert_eq!((account.processes, gpu.tenures.len()), (2, 2));
        drop(other);
        let account = Account::read(&path, &[GPU]).unwrap();
        let gpu = account.gpus[0].as_ref().unwrap();
        assert_eq!((gpu.used, account.processes, gpu.tenures.len()), (Bytes(10), 1, 2));
        std::fs::remove_file(&path).unwrap();
    }
}
