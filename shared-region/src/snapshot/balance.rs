//! Whether an account adds up.
//!
//! Its total is the sum of what the slots hold at every instant, so of copies that were made while the head stayed the same it
//! is, too. Only who writes into the file past the ledger can make it otherwise.

use core::mem::size_of;
use std::os::fd::AsFd;

use contract::Bytes;

use super::copy::{Copier, TRIES};
use crate::devices::DeviceIndex;
use crate::error::OpenFault;
use crate::layout::RegionFile;
use crate::ledger::copy::HeadCopy;
use crate::ledger::{SlotId, WriteOff};

/// The two sides of a device's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Balance {
    /// As it was while the head stayed the same; after many tries, approximately.
    pub(super) total: Bytes,
    /// What all slots held then; `None` if the head never stayed the same for so long.
    pub(super) held: Option<Bytes>,
}

impl<F: AsFd> Copier<F> {
    /// How many slots, from the first on, have had an owner. Never more than there are.
    pub(super) fn slots_used(&self) -> Result<usize, OpenFault> {
        let [used] = self.entry(RegionFile::SLOTS_USED_OFFSET)?;
        Ok(usize::try_from(used).unwrap_or(SlotId::COUNT).min(SlotId::COUNT))
    }

    /// The account of `device`.
    pub(super) fn balance(&self, device: DeviceIndex) -> Result<Balance, OpenFault> {
        let mut total = Bytes::ZERO;
        for _ in 0..TRIES {
            let head = self.head(device)?;
            total = Bytes(self.cell(head.slot(), device)?.total(head));
            if self.head(device)? != head {
                continue;
            }
            let held = self.held(device, head)?;
            if self.head(device)? == head {
                return Ok(Balance { total, held: Some(held) });
            }
        }
        Ok(Balance { total, held: None })
    }

    /// The sum of what the slots hold if `head` is still the head afterwards. How many are used is asked after it was read: whoever
    /// has made its change, or one before it, counts among them by then.
    fn held(&self, device: DeviceIndex, head: HeadCopy) -> Result<Bytes, OpenFault> {
        let gone = if head.writes_off() { Some(self.written_off(head.slot(), device)?) } else { None };
        let mut held = Bytes::ZERO;
        for slot in SlotId::all().take(self.slots_used()?).filter(|slot| Some(*slot) != gone) {
            held = held.saturating_add(Bytes(self.cell(slot, device)?.used(slot, head)));
        }
        Ok(held)
    }

    /// Whom `slot` names as written off.
    fn written_off(&self, slot: SlotId, device: DeviceIndex) -> Result<SlotId, OpenFault> {
        let index = slot.index() * DeviceIndex::COUNT + device.index();
        let [word] = self.entry(RegionFile::WRITE_OFFS_OFFSET + index * size_of::<WriteOff>())?;
        Ok(SlotId::wrapping(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::dying_before_write;
    use crate::snapshot::Snapshot;
    use crate::{Member, Region};
    use contract::Uuid;
    use core::cell::{Cell, OnceCell};
    use std::fs;
    use std::os::fd::BorrowedFd;
    use std::os::unix::fs::FileExt;
    use std::path::PathBuf;

    const GPU: Uuid = Uuid([7; 16]);

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("vgpu-balance-{}-{name}", std::process::id())))
        }

        /// Two members that hold 10 and 20 bytes.
        fn members(&self) -> (DeviceIndex, Member, Member) {
            let region = Region::open(&self.0).unwrap();
            let (device, one, other) =
                (region.device(GPU).unwrap(), region.join().unwrap(), region.join().unwrap());
            one.charge(device, Bytes(10));
            other.charge(device, Bytes(20));
            (device, one, other)
        }

        fn balance(&self) -> Balance {
            let snapshot = Snapshot::read(&self.0).unwrap();
            Balance { total: snapshot.devices[0].total, held: snapshot.devices[0].held }
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_death_while_writing_off_leaves_an_account_that_adds_up() {
        let mut died = 0;
        for writes in 0..12 {
            let scratch = Scratch::new(&format!("death-{writes}"));
            let (device, one, other) = scratch.members();
            let holding = one.holding_of(device, other.slot());
            died += u32::from(
                dying_before_write(writes, || one.write_off(device, other.slot(), holding)).is_none(),
            );
            let balance = scratch.balance();
            assert_eq!(balance.held, Some(balance.total), "before write {writes}");
            assert!([Bytes(10), Bytes(30)].contains(&balance.total), "{balance:?}");
        }
        assert!(died > 3, "{died}");
    }

    /// A file, at whose read number `at` something happens first.
    struct Meddled<A> {
        file: fs::File,
        reads: Cell<u32>,
        at: u32,
        act: A,
    }

    impl<A: Fn()> AsFd for Meddled<A> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            if self.reads.replace(self.reads.get() + 1) == self.at {
                (self.act)();
            }
            self.file.as_fd()
        }
    }

    #[test]
    fn a_process_that_joins_between_two_reads_of_a_snapshot_leaves_an_account_that_adds_up() {
        // Two reads of each used slot, of which there are up to 64, by process id.
        for at in 0..300 {
            let scratch = Scratch::new(&format!("joined-{at}"));
            let (device, _one, _other) = scratch.members();
            let new = OnceCell::new();
            let join = || {
                let member = Region::open(&scratch.0).unwrap().join().unwrap();
                member.charge(device, Bytes(40));
                assert!(new.set(member).is_ok());
            };
            let file = fs::File::open(&scratch.0).unwrap();
            let copier = Copier { file: Meddled { file, reads: Cell::new(0), at, act: join } };
            let account = &Snapshot::copy(&copier).unwrap().devices[0];
            assert!(account.adds_up(), "joined before read {at}: {account:?}");
            if new.get().is_none() {
                assert!(at > 20, "only {at} reads");
                return;
            }
        }
        panic!("a snapshot of three processes takes more than 300 reads");
    }

    #[test]
    fn an_account_that_somebody_has_written_into_does_not_add_up() {
        let scratch = Scratch::new("forged");
        let (device, one, _other) = scratch.members();
        assert_eq!(scratch.balance(), Balance { total: Bytes(30), held: Some(Bytes(30)) });
        let cell = (one.slot().index() * DeviceIndex::COUNT + device.index()) * 64;
        let file = fs::File::options().write(true).open(&scratch.0).unwrap();
        for word in [1, 3] {
            file.write_all_at(&[0; 8], (RegionFile::CELLS_OFFSET + cell + word * 8) as u64).unwrap();
        }
        assert_eq!(scratch.balance(), Balance { total: Bytes(30), held: Some(Bytes(20)) });
        assert!(!Snapshot::read(&scratch.0).unwrap().devices[0].adds_up());
    }
}
