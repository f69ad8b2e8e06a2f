//! One allocation from a pool, of which nobody says beforehand whether the pool has to grow for it.

use crate::state::{Place, Pool, Reservation, refused};
use crate::stream::Stream;
use contract::Bytes;
use cuda_sys::{CUdeviceptr, CUresult};
use shared_region::MemoryClass;
use std::sync::Arc;

const CLASS: MemoryClass = MemoryClass::Pool;

/// What the application asks for.
pub(super) struct Request<Call> {
    /// The device of the pool.
    pub(super) place: Place,
    pub(super) bytes: Bytes,
    pub(super) stream: Stream,
    /// Where the driver writes the address; not null.
    pub(super) dptr: *mut CUdeviceptr,
    pub(super) call: Call,
}

impl<Call: Fn() -> CUresult> Request<Call> {
    /// Allocates from `pool`.
    ///
    /// 1. Beside others, if the most that the pool may grow by fits.
    /// 2. Alone, if the pool holds enough that it does not use, so that it should not have to grow. When it does all the
    ///    same, because what it holds is in pieces, and that does not fit, it is undone.
    /// 3. Room is made: the dead are written off, and pools give back what they do not use. Then as in 1.
    /// 4. Alone, if the least that the pool can grow by fits. When it is more and does not fit, it is undone.
    ///
    /// # Safety
    /// `dptr` must be valid for what the driver does.
    pub(super) unsafe fn charged_to(&self, pool: &Arc<Pool>) -> CUresult {
        let Place { member, .. } = self.place;
        let bound = member.pools.growth.lock().bound(self.bytes);
        let as_it_is = Reservation::if_it_fits(self.place, CLASS, bound).or_else(|| {
            member.follow_pools();
            Reservation::if_it_fits(self.place, CLASS, bound)
        });
        if let Some(reservation) = as_it_is {
            return self.beside_others(pool, reservation);
        }
        if let Some(result) = self.without_growth(pool) {
            return result;
        }
        if let Some(reservation) = Reservation::if_there_can_be_room(self.place, CLASS, bound) {
            return self.beside_others(pool, reservation);
        }
        let least = member.pools.growth.lock().floor(self.bytes);
        match Reservation::if_it_fits(self.place, CLASS, least) {
            Some(reservation) if least < bound => {
                let _gate = pool.alone();
                self.alone(pool, reservation).unwrap_or_else(|| self.refused())
            }
            _ => self.refused(),
        }
    }

    fn beside_others(&self, pool: &Arc<Pool>, reservation: Reservation) -> CUresult {
        let _gate = pool.beside_others();
        self.settled(pool, reservation).unwrap_or_else(|| self.refused())
    }

    /// Allocates from what the pool does not use. `None`: it cannot be had from there.
    fn without_growth(&self, pool: &Arc<Pool>) -> Option<CUresult> {
        if pool.idle() < self.bytes {
            return None;
        }
        let _gate = pool.alone();
        if pool.idle() < self.bytes {
            return None;
        }
        self.alone(pool, Reservation::none(self.place, CLASS))
    }

    /// Allocates while nobody else does, so that the pool's growth is known to be this one's. `None` as below.
    fn alone(&self, pool: &Arc<Pool>, reservation: Reservation) -> Option<CUresult> {
        let before = pool.reserved();
        let result = self.settled(pool, reservation);
        if let Some((before, after)) = before.ok().zip(pool.reserved().ok()) {
            let growth = after.saturating_sub(before);
            self.place.member.pools.growth.lock().observe(self.bytes, growth);
        }
        result
    }

    /// Calls the driver and charges what the pool has really taken. `None`: that does not fit and has been undone.
    fn settled(&self, pool: &Arc<Pool>, mut reservation: Reservation) -> Option<CUresult> {
        // SAFETY: the application's variable, which `charged_to` was promised to be valid.
        let before = unsafe { *self.dptr };
        let begun = pool.begin();
        let result = reservation.allocate(&self.call);
        let settled = pool.settle(begun, reservation.bytes());
        reservation.shrink(settled.used);
        reservation.keep();
        if let Some(growth) = settled.growth.filter(|_| result.is_success()) {
            self.place.member.pools.growth.lock().observe(self.bytes, growth);
        }
        if settled.missing > Bytes::ZERO {
            match Reservation::if_there_can_be_room(self.place, CLASS, settled.missing) {
                Some(more) => {
                    more.keep();
                    pool.add(settled.missing);
                }
                None => {
                    self.undo(pool, result, before);
                    return None;
                }
            }
        }
        if result.is_success() {
            // SAFETY: the driver has written the address there.
            self.place.member.hold_block(unsafe { *self.dptr }, pool);
        }
        Some(result)
    }

    /// Frees what was allocated and puts the application's variable back. The pool gives back what it can at once; what its
    /// stream has yet to come to stays charged until then, over the limit.
    fn undo(&self, pool: &Arc<Pool>, result: CUresult, before: CUdeviceptr) {
        if result.is_success() {
            // SAFETY: as in `settled`.
            let address = unsafe { core::mem::replace(&mut *self.dptr, before) };
            // SAFETY: just allocated, and known to nobody else.
            let _ = unsafe { self.stream.free(address) };
        }
        self.place.member.shrink_pool(pool);
    }

    fn refused(&self) -> CUresult {
        refused(self.place, CLASS, self.bytes)
    }
}
