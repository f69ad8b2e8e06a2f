//! A process that takes part: what the hooks of the preload library call.

use core::sync::atomic::Ordering;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::Bytes;
use policy::quota;

use crate::brief_lock::{BriefLock, Held};
use crate::devices::DeviceIndex;
use crate::error::{LockFault, ReapError};
use crate::fork::ForkToken;
use crate::hold::Hold;
use crate::ledger::{Balance, Holding, SlotId};
use crate::process::Observer;
use crate::reap::{Reaped, Scan, former_self, scan};
use crate::refusals::Refusal;
use crate::region::Mapped;
use crate::slots::{self, Ownership};

/// The calling process as a member of a region, until this value is dropped or the process is gone.
///
/// A forked child inherits a value that is no longer [current](Self::is_current) and does nothing: what it says the parent holds is the
/// parent's. The child drops it and joins anew.
pub struct Member {
    region: Arc<Mapped>,
    slot: SlotId,
    fork: ForkToken,
    /// There until the value is dropped.
    hold: Option<Hold>,
    /// What this process holds of each device, so that asking need not look at what others write. The lock makes one change at
    /// a time, as the ledger demands; it is held for a few stores.
    ///
    /// On the heap, because the application's threads may have small stacks.
    holdings: Box<[OwnLine]>,
}

/// How long a request waits for a process that is just ending, whose memory may not be free yet, and how often it looks again.
const PATIENCE: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_micros(200);

/// Bytes held of one device, sharing no cache line with its neighbours.
#[derive(Default)]
#[repr(align(64))]
struct OwnLine(BriefLock<u64>);

/// Why a reservation was refused. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The request does not fit beside what this process holds itself; nobody's death can change that.
    OwnUse,
    /// The request does not fit beside what all members hold, dead ones included.
    Total,
    /// The caller is a forked child that has not joined.
    NotAMember,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnUse => "the request does not fit under the limit beside what this process holds",
            Self::Total => {
                "the request does not fit under the limit beside what the processes sharing it hold"
            }
            Self::NotAMember => "a forked child is not a member of the shared region until it joins",
        })
    }
}

impl std::error::Error for Refused {}

impl Member {
    pub(crate) fn join(region: Arc<Mapped>) -> Result<Self, LockFault> {
        let fork = ForkToken::new();
        let me = Observer::new();
        let Ownership { slot, hold } = slots::take(&region, &me)?;
        // All at once: a list that grows touches more memory, which costs a process that starts a page fault a page.
        let holdings = std::iter::repeat_with(OwnLine::default).take(DeviceIndex::COUNT).collect();
        let member = Self { region, slot, fork, hold: Some(hold), holdings };
        former_self(&member, &member.region, &me);
        Ok(member)
    }

    /// Whether the caller is the process that joined, and not a forked child of it. One load.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.fork.is_mine()
    }

    pub(crate) fn region(&self) -> &Mapped {
        &self.region
    }

    /// The slot of this process.
    #[must_use]
    pub const fn slot(&self) -> SlotId {
        self.slot
    }

    /// Charges `bytes` if all members together then hold at most `limit` on `device`.
    ///
    /// # Errors
    /// [`Refused`]. After [`Refused::Total`] a [`reap`](Self::reap) may make room.
    pub fn reserve(&self, device: DeviceIndex, bytes: Bytes, limit: Bytes) -> Result<(), Refused> {
        let mut held = self.begin(device).ok_or(Refused::NotAMember)?;
        if !quota::fits(*held, bytes.0, limit.0) {
            return Err(Refused::OwnUse);
        }
        let ledger = self.region.file.ledger(device);
        let balance = ledger.reserve(self.slot, bytes.0, limit.0).map_err(|_| Refused::Total)?;
        *held = balance.used;
        self.note_peak(device, balance);
        Ok(())
    }

    /// [`reserve`](Self::reserve); if only others are in the way, clears up after dead processes and tries again. What it has cleared up.
    ///
    /// Waits up to 20 ms for a process that is just ending.
    ///
    /// # Errors
    /// [`Refused`]: the living leave no room. Where nobody can be told dead, all count as alive.
    pub fn reserve_or_reap(
        &self,
        device: DeviceIndex,
        bytes: Bytes,
        limit: Bytes,
    ) -> Result<Reaped, Refused> {
        match self.reserve(device, bytes, limit) {
            Err(Refused::Total) => self.reap_and_reserve(device, bytes, limit),
            verdict => verdict.map(|()| Reaped::default()),
        }
    }

    #[cold]
    fn reap_and_reserve(&self, device: DeviceIndex, bytes: Bytes, limit: Bytes) -> Result<Reaped, Refused> {
        let start = Instant::now();
        let mut all = Reaped::default();
        loop {
            let Scan { reaped, is_dying, .. } = scan(self, &self.region, Some(device));
            all.processes += reaped.processes;
            all.bytes = all.bytes.saturating_add(reaped.bytes);
            let verdict = self.reserve(device, bytes, limit);
            if verdict.is_ok() || !is_dying || start.elapsed() >= PATIENCE {
                return verdict.map(|()| all);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Charges `bytes` that are in use already, whatever the limit.
    pub fn charge(&self, device: DeviceIndex, bytes: Bytes) {
        self.change(device, |used| used.saturating_add(bytes.0));
    }

    /// Takes back a charge. More than this process holds is all that it holds.
    pub fn refund(&self, device: DeviceIndex, bytes: Bytes) {
        self.change(device, |used| used.saturating_sub(bytes.0));
    }

    fn change(&self, device: DeviceIndex, to: impl Fn(u64) -> u64) {
        let Some(mut held) = self.begin(device) else { return };
        let before = *held;
        *held = to(before);
        let balance = self.region.file.ledger(device).set(self.slot, *held);
        if balance.used > before {
            self.note_peak(device, balance);
        }
    }

    /// What this process holds on `device`; 0 for a forked child that has not joined.
    #[must_use]
    pub fn own(&self, device: DeviceIndex) -> Bytes {
        self.begin(device).map_or(Bytes::ZERO, |held| Bytes(*held))
    }

    /// What this process holds on `device` and since which change; `None` for a forked child. The same twice: nothing has
    /// changed in between.
    #[must_use]
    pub fn holding(&self, device: DeviceIndex) -> Option<Holding> {
        let _held = self.begin(device)?;
        Some(self.region.file.ledger(device).holding(self.slot))
    }

    /// What all members hold on `device`, dead ones included until they are reaped.
    #[must_use]
    pub fn total(&self, device: DeviceIndex) -> Bytes {
        Bytes(self.region.file.ledger(device).total())
    }

    /// Takes back what dead members held.
    ///
    /// # Errors
    /// [`ReapError`] when the file cannot be opened any more: only those were found whose death can be told by their process id.
    pub fn reap(&self) -> Result<Reaped, ReapError> {
        let Scan { reaped, fault, .. } = if self.is_current() {
            scan(self, &self.region, None)
        } else {
            Scan { fault: Some(LockFault::NotAMember), ..Scan::default() }
        };
        match fault {
            None => Ok(reaped),
            Some(fault) => Err(ReapError { path: self.region.path.clone(), fault }),
        }
    }

    /// Takes back, in this process's name, what the dead owner of `dead` holds of `device` if that is still `holding`.
    pub(crate) fn write_off(&self, device: DeviceIndex, dead: SlotId, holding: Holding) -> Bytes {
        // The lock keeps this process's other threads from making a change meanwhile; what it holds stays the same.
        let Some(_held) = self.begin(device) else { return Bytes::ZERO };
        Bytes(self.region.file.ledger(device).write_off(self.slot, dead, holding))
    }

    /// What the owner of `slot` holds of `device`, for a test that writes it off.
    #[cfg(test)]
    pub(crate) fn holding_of(&self, device: DeviceIndex, slot: SlotId) -> Holding {
        self.region.file.ledger(device).holding(slot)
    }

    /// Notes a refusal for whoever watches.
    pub fn refused(&self, device: DeviceIndex, refusal: Refusal) {
        if !self.is_current() {
            return;
        }
        let (file, slot) = (&self.region.file, self.region.file.slot(self.slot));
        file.cell(self.slot, device).stats.refused.fetch_add(1, Ordering::Relaxed);
        slot.refused_bytes.fetch_add(refusal.bytes.0, Ordering::Relaxed);
        slot.last_refused_device.store(device.index() as u64, Ordering::Relaxed);
        slot.last_refusal.note(refusal);
        file.refusals(device).count(refusal);
    }

    /// Notes, for whoever watches, how much of this process's usage is contexts and the like.
    pub fn note_overhead(&self, device: DeviceIndex, bytes: Bytes) {
        if self.is_current() {
            self.region.file.cell(self.slot, device).stats.overhead.store(bytes.0, Ordering::Relaxed);
        }
    }

    /// What a context on `device` cost when one was last measured, by any member; `None` before the first.
    #[must_use]
    pub fn learned_context(&self, device: DeviceIndex) -> Option<Bytes> {
        self.region.file.device(device).learned_context()
    }

    /// Notes what a context on `device` costs.
    pub fn learn_context(&self, device: DeviceIndex, cost: Bytes) {
        self.region.file.device(device).learn_context(cost);
    }

    /// What this process holds on `device`, which no other thread of it changes meanwhile; `None` in a forked child.
    fn begin(&self, device: DeviceIndex) -> Option<Held<'_, u64>> {
        if !self.is_current() {
            return None;
        }
        let OwnLine(held) = self.holdings.get(device.index())?;
        Some(held.lock())
    }

    /// Lets the life lock go, or forgets about it where it is not ours to end: a forked child never had the mapping, and the
    /// application may have closed the descriptor and given its number to something else.
    fn end_hold(&mut self) {
        let ours = match &self.hold {
            Some(Hold::Mapping { .. }) => self.is_current(),
            Some(Hold::Descriptor(file)) => self.region.is_descriptor_of(file),
            None => false,
        };
        let hold = self.hold.take();
        if !ours {
            core::mem::forget(hold);
        }
    }

    fn note_peak(&self, device: DeviceIndex, Balance { used, total }: Balance) {
        let peak = &self.region.file.cell(self.slot, device).stats.peak;
        if used > peak.load(Ordering::Relaxed) {
            peak.store(used, Ordering::Relaxed);
        }
        self.region.file.device(device).note_peak(total);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.is_current() {
            slots::clear(&self.region.file, self.slot);
        }
        self.end_hold();
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("slot", &self.slot)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}
