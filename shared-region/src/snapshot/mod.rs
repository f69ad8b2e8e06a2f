//! A copy of a region for whoever watches from outside: a monitor, the node agent, `vgpu top`.
//!
//! The processes that write the file belong to a tenant, so nothing in it is believed: no number is used as an index or a
//! length, no amount of rubbish makes this panic, wait or read beyond the file, and the file is never mapped. What
//! a tenant can do is lie about itself.

mod account;
mod activity;
mod balance;
mod compute;
mod copy;
mod refusals;

use std::path::Path;

use contract::{Bytes, Uuid};

use crate::devices::{DeviceIndex, uuid_of};
use crate::error::{OpenError, OpenFault};
use crate::file::content::system;
use crate::file::open_to_read;
use crate::layout::{is_free, lock_bytes, owners};
use crate::ledger::SlotId;
use crate::ledger::copy::HeadCopy;
use crate::lock::is_locked;
pub use account::{Account, GpuAccount, Tenure};
pub use activity::{Activity, ProcessActivity};
pub use compute::{ComputeUse, Correction};
use copy::{Copier, SlotCopy};
use refusals::last_and_largest;
pub use refusals::{LastRefusal, RefusalCount, RefusalSummary};

/// A region at about one time. Each number is from one instant; together they need not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The GPUs that the region knows, in the order in which it met them.
    pub devices: Vec<DeviceSnapshot>,
    /// The slots that are in use, in order.
    pub processes: Vec<ProcessSnapshot>,
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSnapshot {
    /// Its entry.
    pub index: DeviceIndex,
    /// Its identity.
    pub uuid: Uuid,
    /// What all processes hold, dead ones included until somebody clears up after them.
    pub total: Bytes,
    /// What was in all slots together at an instant when the total was as here; `None` if the processes never stood still for
    /// long enough to tell.
    pub held: Option<Bytes>,
    /// What a context cost when one was last measured.
    pub learned_context: Option<Bytes>,
    /// The most that all processes have held together.
    pub peak: Bytes,
    /// What was refused to all processes, also to those that are gone.
    pub refusals: RefusalSummary,
    /// How measured GPU time is corrected.
    pub correction: Correction,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSnapshot {
    /// Its slot.
    pub slot: SlotId,
    /// Its id in its own PID namespace; 0 if what is written there is none.
    pub pid: u32,
    /// Inode number of its PID namespace.
    pub pid_namespace: u64,
    /// When it started, in clock ticks since boot: field 22 of `/proc/<pid>/stat`, the same in every namespace.
    pub started: u64,
    /// How many owners the slot has had, this one included.
    pub incarnation: u64,
    /// Whether it is alive. What a dead one holds is taken back as soon as another process needs it.
    pub alive: bool,
    /// Bytes of all requests refused to it.
    pub refused_bytes: Bytes,
    /// What was last refused to it.
    pub last_refusal: Option<LastRefusal>,
    /// On which GPU that was; `None` also if what is written there is none.
    pub last_refused_device: Option<DeviceIndex>,
    /// The largest request refused to it.
    pub largest_refusal: Bytes,
    /// What it holds, for each GPU of [`Snapshot::devices`] in that order.
    pub usage: Vec<Usage>,
}

/// What one process holds of one GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The GPU's entry.
    pub device: DeviceIndex,
    /// What it holds now.
    pub used: Bytes,
    /// The most that it has held.
    pub peak: Bytes,
    /// Part of what it holds that is contexts and the like.
    pub overhead: Bytes,
    /// Requests refused.
    pub refused: u64,
    /// What it does with the GPU's time.
    pub compute: ComputeUse,
}

impl Snapshot {
    /// Reads the region at `path`, or at its sibling if `path` holds another program's data. A file that no process has used
    /// yet is a region without GPUs and processes.
    ///
    /// # Errors
    /// [`OpenError`] when there is no whole region.
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        let Some(file) = open_to_read(path)? else { return Ok(Self::default()) };
        let copier = Copier { file };
        Self::copy(&copier).map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    fn copy(copier: &Copier<impl std::os::fd::AsFd>) -> Result<Self, OpenFault> {
        let mut devices = Vec::new();
        for (index, entry) in DeviceIndex::all().zip(copier.devices()?) {
            let Some(uuid) = uuid_of(entry.key) else { continue };
            let balance = copier.balance(index)?;
            devices.push(DeviceSnapshot {
                index,
                uuid,
                total: balance.total,
                held: balance.held,
                learned_context: Some(Bytes(entry.learned_context)).filter(|&cost| cost != Bytes::ZERO),
                peak: Bytes(entry.peak),
                refusals: copier.refusals(index)?,
                correction: copier.correction(index)?,
            });
        }
        let mut processes = Vec::new();
        for (slot, entry) in SlotId::all().zip(copier.slots(SlotId::COUNT)?) {
            if !is_free(entry.tenure) {
                processes.extend(ProcessSnapshot::copy(copier, slot, entry, &devices)?);
            }
        }
        Ok(Self { devices, processes })
    }
}

impl DeviceSnapshot {
    /// Whether the account adds up, as far as can be told. No death and no race changes that; a process that has written rubbish
    /// into the file does.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.held.is_none_or(|held| held == self.total)
    }
}

impl ProcessSnapshot {
    /// `None` when the slot's owner changes meanwhile: gone, or new since the snapshot began.
    fn copy(
        copier: &Copier<impl std::os::fd::AsFd>,
        slot: SlotId,
        entry: SlotCopy,
        devices: &[DeviceSnapshot],
    ) -> Result<Option<Self>, OpenFault> {
        let alive = is_locked(&copier.file, lock_bytes::life(slot)).map_err(system("ask for its locks"))?;
        let compute = copier.compute_uses(slot, DeviceIndex::COUNT)?;
        let mut usage = Vec::with_capacity(devices.len());
        for device in devices {
            let head = copier.head(device.index)?;
            let mut compute = compute.get(device.index.index()).copied().unwrap_or_default();
            compute.waiting = if alive { compute.waiting } else { 0 };
            usage.push(Usage::copy(copier, slot, device.index, head, compute)?);
        }
        let after = copier.slot(slot)?;
        if after.tenure != entry.tenure {
            return Ok(None);
        }
        let (last_refusal, largest_refusal) = last_and_largest(after.last_refusal);
        let last_refused_device = usize::try_from(after.last_refused_device).ok().and_then(DeviceIndex::new);
        Ok(Some(Self {
            slot,
            pid: u32::try_from(entry.pid).unwrap_or(0),
            pid_namespace: entry.pid_namespace,
            started: entry.started,
            incarnation: owners(entry.tenure),
            alive,
            refused_bytes: Bytes(after.refused_bytes),
            last_refusal,
            last_refused_device: last_refused_device.filter(|_| last_refusal.is_some()),
            largest_refusal,
            usage,
        }))
    }
}

impl Usage {
    fn copy(
        copier: &Copier<impl std::os::fd::AsFd>,
        slot: SlotId,
        device: DeviceIndex,
        head: HeadCopy,
        compute: ComputeUse,
    ) -> Result<Self, OpenFault> {
        let cell = copier.cell(slot, device)?;
        Ok(Self {
            device,
            used: Bytes(cell.used(slot, head)),
            peak: Bytes(cell.peak),
            overhead: Bytes(cell.overhead),
            refused: cell.refused,
            compute,
        })
    }
}
