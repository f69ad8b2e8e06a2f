//! Physical memory that several processes hold.
//!
//! Whoever has created it is charged, and stays so when he lets go of it while others may hold it. They may as long as
//! somebody has a descriptor of it (`exports`), or as some member of the slice holds memory of others: whose,
//! nobody can tell. Members say so in the region before they take any.

use super::exports::{Exports, UNKNOWN};
use super::member::Member;
use contract::Bytes;
use core::ffi::c_int;
use cuda_sys::CUresult;
use shared_region::{DeviceIndex, Imports};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracker::{Physical, Piece, PieceId};

/// What this process shares.
#[derive(Default)]
pub(super) struct Sharing {
    exports: Exports,
    mark: Mutex<Mark>,
}

/// Whether the region says that this process holds memory of others.
#[derive(Default)]
struct Mark {
    imports: Option<Imports>,
    /// How many calls are about to take some.
    under_way: u32,
}

impl Member {
    /// Records that others can get hold of `id` by `descriptor`, or by something of which nothing can be known.
    pub(crate) fn exported(&self, id: PieceId, descriptor: Option<c_int>) {
        let export = descriptor.map_or(UNKNOWN, |descriptor| self.sharing.exports.watch(descriptor));
        self.physical.lock().export(export, id);
    }

    /// Has the driver import what is behind `descriptor`, if it is one. Memory of others costs nothing; what comes back to the
    /// process that has created it is another handle. `handle` is what the driver has made, and the device it is on.
    pub(crate) fn import(
        &self,
        descriptor: Option<c_int>,
        call: impl FnOnce() -> CUresult,
        handle: impl FnOnce() -> (u64, Option<DeviceIndex>),
    ) -> CUresult {
        let own = descriptor.and_then(|descriptor| self.sharing.exports.of(descriptor));
        self.begin_import();
        let result = call();
        if result.is_success() {
            let (handle, device) = handle();
            let mut physical = self.physical.lock();
            match own.map(|export| (export, physical.exported_as(export))) {
                Some((_, Some(id))) => physical.retain(handle, id),
                Some((export, None)) if physical.adopt(handle, export) => {}
                _ => physical.import(handle, device),
            }
        }
        self.end_import();
        result
    }

    /// Has the driver let go of something and gives back what nobody can hold any more, as `forget` says after a success.
    pub(crate) fn let_go(
        &self,
        call: impl FnOnce() -> CUresult,
        forget: impl FnOnce(CUresult, &mut Physical) -> Vec<Piece>,
    ) -> CUresult {
        let _hand = self.in_hand.take();
        let result = call();
        let (ended, holds_imports) = {
            let mut physical = self.physical.lock();
            (forget(result, &mut physical), physical.holds_imports())
        };
        self.give_back(ended);
        if !holds_imports {
            self.unmark();
        }
        self.settle_orphans();
        result
    }

    /// Gives back what is charged for memory that others held and hold no more. Costs a lock where there is none.
    pub(super) fn settle_orphans(&self) {
        if self.physical.lock().orphans().is_empty() {
            return;
        }
        // In this order: what is imported before the last descriptor is closed, the region tells of before that.
        let Some(open) = self.sharing.exports.open() else { return };
        if self.account.others_hold_imports() {
            return;
        }
        let is_open = |export: &u64| *export == UNKNOWN || open.contains(export);
        let ended = self.physical.lock().settle_orphans(|orphan| orphan.exports.iter().any(is_open));
        self.give_back(ended);
    }

    /// What the driver does not count as this process' on `device` though it is charged for it, and what it may count though
    /// another is charged.
    pub(super) fn shared(&self, device: DeviceIndex) -> (Bytes, Bytes) {
        let physical = self.physical.lock();
        (physical.orphaned(device), physical.imported(device))
    }

    fn give_back(&self, ended: Vec<Piece>) {
        for piece in ended {
            self.account.refund(piece.device, piece.bytes);
        }
    }

    fn begin_import(&self) {
        let mut mark = self.mark();
        mark.under_way += 1;
        if mark.imports.is_none() {
            // Where the region cannot be opened any more, its members keep their charges.
            mark.imports = self.account.mark_imports().ok();
        }
    }

    fn end_import(&self) {
        self.mark().under_way -= 1;
        self.unmark();
    }

    /// The region need not say any more that this process holds memory of others, if it does not.
    fn unmark(&self) {
        let mut mark = self.mark();
        if mark.imports.is_some() && mark.under_way == 0 && !self.physical.lock().holds_imports() {
            mark.imports = None;
        }
    }

    fn mark(&self) -> MutexGuard<'_, Mark> {
        self.sharing.mark.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
