//! Memory set aside before the driver is asked for it.

use super::device::Device;
use super::member::Member;
use super::place::{Place, look_when_due};
use super::refusal::refused;
use contract::Bytes;
use core::time::Duration;
use cuda_sys::CUresult;
use shared_region::{MemoryClass, Refused};
use tracker::Hand;

/// Bytes that count against the limit already. Dropping it gives them back; [`keep`](Self::keep) does not.
#[must_use]
pub(crate) struct Reservation {
    member: &'static Member,
    device: &'static Device,
    class: MemoryClass,
    bytes: Bytes,
    /// Dead processes had to make room for it.
    after_reap: bool,
    _hand: Hand<'static>,
}

impl Reservation {
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when the bytes do not fit.
    #[inline]
    pub(super) fn take(place: Place, class: MemoryClass, bytes: Bytes) -> Result<Self, CUresult> {
        let Place { member, device } = place;
        match Self::as_things_are(place, class, bytes) {
            Ok(reservation) => Ok(reservation),
            Err(why) => {
                let mut made = Self::make_room(place, class, bytes, why);
                if made.is_none() && member.may_hold_less(device.index) {
                    look_when_due();
                    made = Self::if_it_fits(place, class, bytes);
                }
                made.ok_or_else(|| refused(place, class, bytes))
            }
        }
    }

    /// Sets `bytes` aside if they fit as things are.
    pub(crate) fn if_it_fits(place: Place, class: MemoryClass, bytes: Bytes) -> Option<Self> {
        Self::as_things_are(place, class, bytes).ok()
    }

    #[inline(always)]
    fn as_things_are(place: Place, class: MemoryClass, bytes: Bytes) -> Result<Self, Refused> {
        let Place { member, device } = place;
        let _hand = member.in_hand.take();
        member.account.reserve(device.index, bytes, device.limit.bytes())?;
        Ok(Self { member, device, class, bytes, after_reap: false, _hand })
    }

    /// Sets `bytes` aside, after clearing up after dead processes and emptying this one's pools, and what it has for graphs, as far as need be.
    pub(crate) fn if_there_can_be_room(place: Place, class: MemoryClass, bytes: Bytes) -> Option<Self> {
        Self::as_things_are(place, class, bytes)
            .or_else(|why| Self::make_room(place, class, bytes, why).ok_or(why))
            .ok()
    }

    /// Only others' use can be that of the dead; this process's own can be that of its pools.
    #[cold]
    fn make_room(place: Place, class: MemoryClass, bytes: Bytes, why: Refused) -> Option<Self> {
        let Place { member, device } = place;
        let _hand = member.in_hand.take();
        let limit = || device.limit.bytes();
        let reaped = match why {
            Refused::Total => member.account.reserve_or_reap(device.index, bytes, limit()).ok(),
            Refused::OwnUse | Refused::NotAMember => None,
        };
        if let Some(reaped) = reaped {
            return Some(Self { member, device, class, bytes, after_reap: reaped.processes > 0, _hand });
        }
        member.settle_orphans();
        let is_room = || Self::if_it_fits(place, class, bytes);
        member.trim_pools(device, bytes, is_room).or_else(|| member.trim_graphs(device, is_room))
    }

    /// A reservation of nothing, for what is only observed or should need none.
    pub(crate) fn none(Place { member, device }: Place, class: MemoryClass) -> Self {
        let _hand = member.in_hand.take();
        Self { member, device, class, bytes: Bytes::ZERO, after_reap: false, _hand }
    }

    /// Calls the driver. Memory that was free by our account may still be on its way back from a process that has just
    /// died, so a driver that is out of it then is asked again, for up to a second.
    pub(crate) fn allocate(&self, call: impl Fn() -> CUresult) -> CUresult {
        const TRIES: u32 = 100;
        const PAUSE: Duration = Duration::from_millis(10);
        let mut result = call();
        for _ in 0..TRIES {
            if result != CUresult::OUT_OF_MEMORY || !self.after_reap {
                break;
            }
            std::thread::sleep(PAUSE);
            result = call();
        }
        result
    }

    /// Changes the reservation to `bytes`, now that the real size is known.
    ///
    /// # Errors
    /// [`CUresult::OUT_OF_MEMORY`] when it grows and does not fit; the reservation stays what it was.
    pub(crate) fn settle(&mut self, bytes: Bytes) -> Result<(), CUresult> {
        match bytes.0.checked_sub(self.bytes.0) {
            None => self.member.account.refund(self.device.index, Bytes(self.bytes.0 - bytes.0)),
            Some(0) => {}
            Some(more) => match Self::if_there_can_be_room(self.place(), self.class, Bytes(more)) {
                Some(reservation) => reservation.keep(),
                None => return Err(refused(self.place(), self.class, bytes)),
            },
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Gives back what is more than `bytes`.
    pub(crate) fn shrink(&mut self, bytes: Bytes) {
        self.member.account.refund(self.device.index, self.bytes.saturating_sub(bytes));
        self.bytes = self.bytes.min(bytes);
    }

    /// Changes the reservation to `bytes`, which are in use already, whether they fit or not.
    pub(super) fn observe(&mut self, bytes: Bytes) {
        let (account, device) = (&self.member.account, self.device.index);
        account.charge(device, bytes.saturating_sub(self.bytes));
        account.refund(device, self.bytes.saturating_sub(bytes));
        self.bytes = bytes;
    }

    /// The charge stays, for whoever frees the memory to give back.
    pub(crate) fn keep(mut self) {
        self.bytes = Bytes::ZERO;
    }

    const fn place(&self) -> Place {
        Place { member: self.member, device: self.device }
    }

    /// Whether they are for memory whose pages come and go.
    pub(super) fn is_for_pages(&self) -> bool {
        self.class == MemoryClass::Managed
    }

    /// The bytes set aside.
    pub(crate) const fn bytes(&self) -> Bytes {
        self.bytes
    }
}

impl Drop for Reservation {
    #[inline]
    fn drop(&mut self) {
        if self.bytes > Bytes::ZERO {
            self.member.account.refund(self.device.index, self.bytes);
        }
    }
}
