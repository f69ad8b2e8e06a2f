//! The arrays this process has created, by handle.

use super::member::Member;
use super::reservation::Reservation;
use super::site::Site;
use cuda_sys::CUresult;
use shared_region::{BriefLock, DeviceIndex};
use std::sync::OnceLock;
use tracker::{Allocation, Allocations, ContextId, Packing, PieceId, Sparse, SparsePart};

/// Arrays that were charged for, and arrays without memory.
#[derive(Default)]
pub(super) struct Arrays {
    /// Most processes have none, and every page of memory costs them a page fault.
    charged: OnceLock<Allocations>,
    sparse: BriefLock<Sparse>,
}

impl Site {
    /// Records that the driver returned `handle` for what was reserved.
    pub(crate) fn record_array(&self, handle: u64, reservation: Reservation) {
        let (device, context, bytes) = (self.device.index, self.context, reservation.bytes());
        let array = Allocation { device, context, bytes, is_paged: false };
        self.member.remember_in(
            self.member.arrays.charged.get_or_init(Allocations::default),
            self,
            handle,
            array,
        );
        reservation.keep();
    }

    /// Records that the driver has created `handle` without memory, which is mapped to all of it (`is_whole`) or to parts.
    pub(crate) fn record_sparse(&self, handle: u64, is_whole: bool) {
        let before = self.member.arrays.sparse.lock().create(handle, self.context, is_whole);
        self.member.drop_pieces(before);
    }
}

impl Member {
    /// Calls the driver to destroy the array `handle` and gives back what was charged for it, if the driver has destroyed
    /// that, or says that there is none any more. A handle of which nothing is known is the driver's affair.
    pub(crate) fn destroy_array(&self, handle: u64, call: impl FnOnce() -> CUresult) -> CUresult {
        let _hand = self.in_hand.take();
        let charged = self.arrays.charged.get();
        let found = charged.and_then(|charged| Some((charged, charged.take(handle)?)));
        // As with addresses, the driver may call another array so before this thread hears of it.
        let held = self.arrays.sparse.lock().take(handle);
        let result = call();
        let is_gone = result.is_success()
            || matches!(
                result,
                CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE | CUresult::CONTEXT_IS_DESTROYED
            );
        match (found, is_gone) {
            (Some((_, array)), true) => self.refund(array),
            (Some((charged, array)), false) => self.put_back(charged, handle, array),
            (None, _) => {}
        }
        if let Some(held) = held {
            let ended =
                if is_gone { held.pieces() } else { self.arrays.sparse.lock().put_back(handle, held) };
            self.drop_pieces(ended);
        }
        result
    }

    /// Records that the driver has mapped `piece` to a part of the array `handle`, or unmapped what was there.
    pub(crate) fn map_sparse(&self, handle: u64, part: SparsePart, piece: Option<PieceId>) {
        let held = self.arrays.sparse.lock().map(handle, part, piece);
        for gained in held.gained {
            self.physical.lock().hold(gained);
        }
        self.drop_pieces(held.lost);
    }

    /// Lets go of pieces of physical memory that the driver has let go of, and gives back those of which that was the last
    /// reference.
    pub(crate) fn drop_pieces(&self, pieces: impl IntoIterator<Item = PieceId>) {
        let mut pieces = pieces.into_iter().peekable();
        if pieces.peek().is_some() {
            let _ = self.let_go(
                || CUresult::SUCCESS,
                |_, physical| pieces.flat_map(|piece| physical.unmapped(piece)).collect(),
            );
        }
    }

    /// How what was asked for on `device` lies in its chunks: at addresses, and in arrays.
    pub(super) fn packing(&self, device: DeviceIndex) -> Packing {
        let arrays = self.arrays.charged.get().map(|arrays| arrays.packing(device));
        self.allocations.packing(device).and(arrays.unwrap_or_default())
    }

    /// Forgets the arrays of `context`, which has ended.
    pub(super) fn end_arrays(&self, context: ContextId) {
        if let Some(charged) = self.arrays.charged.get() {
            charged.take_context(context, |array| self.refund(array));
        }
        let lost = self.arrays.sparse.lock().end_context(context);
        self.drop_pieces(lost);
    }
}
