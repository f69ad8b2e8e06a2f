//! Copying words out of the file by system calls: a file that is cut short under a mapping would kill the reader.

use core::mem::{offset_of, size_of};
use std::os::fd::AsFd;

use crate::compute::{ComputeStats, DeviceCompute};
use crate::devices::{DeviceEntry, DeviceIndex};
use crate::error::OpenFault;
use crate::file::content::read_at;
use crate::layout::{RegionFile, SIZE, Slot};
use crate::ledger::copy::{CellCopy, HeadCopy};
use crate::ledger::{Cell, SlotId};
use crate::refusals::Refusals;

use super::compute::{ComputeUse, Correction};
use super::refusals::{RefusalSummary, WORDS};

/// Words of an entry.
const DEVICE_WORDS: usize = size_of::<DeviceEntry>() / size_of::<u64>();
const SLOT_WORDS: usize = size_of::<Slot>() / size_of::<u64>();
const CELL_WORDS: usize = size_of::<Cell>() / size_of::<u64>();
const COMPUTE_WORDS: usize = size_of::<DeviceCompute>() / size_of::<u64>();
const COMPUTE_STATS_WORDS: usize = size_of::<ComputeStats>() / size_of::<u64>();

/// Copies of the same place that differ are taken again this often.
pub(super) const TRIES: usize = 8;

/// Reads entries of a region's file.
pub(super) struct Copier<F> {
    pub(super) file: F,
}

/// A copy of a device's entry.
pub(super) struct DeviceCopy {
    pub(super) key: [u64; 2],
    pub(super) learned_context: u64,
    pub(super) peak: u64,
}

/// A copy of a slot's entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SlotCopy {
    pub(super) tenure: u64,
    pub(super) pid: u64,
    pub(super) pid_namespace: u64,
    pub(super) started: u64,
    pub(super) refused_bytes: u64,
    pub(super) last_refused_device: u64,
    /// As in `LastRefusal`.
    pub(super) last_refusal: [u64; 4],
}

impl<F: AsFd> Copier<F> {
    pub(super) fn devices(&self) -> Result<Vec<DeviceCopy>, OpenFault> {
        let entries = self.entries::<DEVICE_WORDS>(offset_of!(RegionFile, devices), DeviceIndex::COUNT)?;
        Ok(entries.into_iter().map(DeviceCopy::from_words).collect())
    }

    /// The first `count` slots.
    pub(super) fn slots(&self, count: usize) -> Result<Vec<SlotCopy>, OpenFault> {
        let entries = self.entries::<SLOT_WORDS>(offset_of!(RegionFile, slots), count.min(SlotId::COUNT))?;
        Ok(entries.into_iter().map(SlotCopy::from_words).collect())
    }

    pub(super) fn slot(&self, slot: SlotId) -> Result<SlotCopy, OpenFault> {
        let offset = offset_of!(RegionFile, slots) + slot.index() * size_of::<Slot>();
        Ok(SlotCopy::from_words(self.entry(offset)?))
    }

    pub(super) fn head(&self, device: DeviceIndex) -> Result<HeadCopy, OpenFault> {
        let entry = offset_of!(RegionFile, devices) + device.index() * size_of::<DeviceEntry>();
        let [word] = self.entry(entry + DeviceEntry::HEAD_OFFSET)?;
        Ok(HeadCopy::from_word(word))
    }

    /// The cell, as it was in two copies running; after many tries, as it was in one.
    pub(super) fn cell(&self, slot: SlotId, device: DeviceIndex) -> Result<CellCopy, OpenFault> {
        let index = slot.index() * DeviceIndex::COUNT + device.index();
        let offset = RegionFile::CELLS_OFFSET + index * size_of::<Cell>();
        let mut words = self.entry::<CELL_WORDS>(offset)?;
        for _ in 0..TRIES {
            let again = self.entry(offset)?;
            if again == words {
                break;
            }
            words = again;
        }
        Ok(CellCopy::from_words(words))
    }

    pub(super) fn refusals(&self, device: DeviceIndex) -> Result<RefusalSummary, OpenFault> {
        let offset = RegionFile::REFUSALS_OFFSET + device.index() * size_of::<Refusals>();
        let words: [u64; WORDS] = self.entry(offset)?;
        Ok(RefusalSummary::from_words(&words))
    }

    pub(super) fn correction(&self, device: DeviceIndex) -> Result<Correction, OpenFault> {
        Ok(Correction::from_words(&self.compute_words(device)?))
    }

    pub(super) fn compute_words(&self, device: DeviceIndex) -> Result<[u64; COMPUTE_WORDS], OpenFault> {
        self.entry(RegionFile::COMPUTE_OFFSET + device.index() * size_of::<DeviceCompute>())
    }

    /// What the owner of `slot`, if it is alive, does with each of the first `count` devices.
    pub(super) fn compute_uses(&self, slot: SlotId, count: usize) -> Result<Vec<ComputeUse>, OpenFault> {
        let page = size_of::<ComputeStats>() * DeviceIndex::COUNT;
        let offset = RegionFile::COMPUTE_STATS_OFFSET + slot.index() * page;
        let lines = self.entries::<COMPUTE_STATS_WORDS>(offset, count.min(DeviceIndex::COUNT))?;
        Ok(lines.iter().map(|words| ComputeUse::from_words(words)).collect())
    }

    pub(super) fn entry<const WORDS: usize>(&self, offset: usize) -> Result<[u64; WORDS], OpenFault> {
        let entries = self.entries(offset, 1)?;
        entries.first().copied().ok_or(OpenFault::Truncated { length: offset as u64 })
    }

    /// `count` entries of `WORDS` words each, the first at `offset`.
    fn entries<const WORDS: usize>(
        &self,
        offset: usize,
        count: usize,
    ) -> Result<Vec<[u64; WORDS]>, OpenFault> {
        let mut bytes = vec![0; count * WORDS * size_of::<u64>()];
        let read = read_at(self.file.as_fd(), &mut bytes, offset)?;
        if read < bytes.len() {
            return Err(OpenFault::Truncated { length: (offset + read).min(SIZE) as u64 });
        }
        let (words, _) = bytes.as_chunks();
        let words: Vec<u64> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        Ok(words.as_chunks().0.to_vec())
    }
}

impl DeviceCopy {
    const fn from_words(words: [u64; DEVICE_WORDS]) -> Self {
        let [first, second, learned_context, peak, ..] = words;
        Self { key: [first, second], learned_context, peak }
    }
}

impl SlotCopy {
    const fn from_words(words: [u64; SLOT_WORDS]) -> Self {
        let [
            tenure,
            pid,
            pid_namespace,
            started,
            _hold,
            _image,
            refused_bytes,
            last_refused_device,
            rest @ ..,
        ] = words;
        let [at, bytes, class, largest, ..] = rest;
        let last_refusal = [at, bytes, class, largest];
        Self { tenure, pid, pid_namespace, started, refused_bytes, last_refused_device, last_refusal }
    }
}
