//! A call that has the driver take memory for a graph, of which nobody says beforehand how much it is.

use crate::state::{GraphExec, Member, Need, Place, Reservation, refused};
use contract::Bytes;
use cuda_sys::CUresult;
use shared_region::MemoryClass;
use std::sync::RwLockWriteGuard;
use tracker::Begun;

const CLASS: MemoryClass = MemoryClass::Graph;

/// What is to be done with a graph that allocates.
pub(super) struct Order<'a> {
    pub(super) member: &'static Member,
    pub(super) graph: &'a GraphExec,
    /// The application's call.
    pub(super) call: &'a dyn Fn() -> CUresult,
    /// What takes the memory and can be undone: something that comes before the call, or the call itself.
    pub(super) take: Taking<'a>,
}

/// How the memory is taken where it may have to be given back.
pub(super) enum Taking<'a> {
    /// By this call, before the application's.
    Before(&'a dyn Fn() -> CUresult),
    /// By the application's call, which this undoes.
    Itself(&'a dyn Fn()),
}

/// How to set something aside.
type Reserve = fn(Place, MemoryClass, Bytes) -> Option<Reservation>;

impl Order<'_> {
    /// 1. Beside others, if the most that the driver may take fits.
    /// 2. Alone, if it should not have to take anything. When it does all the same, that is undone, unless it fits.
    /// 3. Room is made: the dead are written off, and pools and graphs give back what they do not use. Then as in 1.
    /// 4. Alone, if what the allocations need fits. When it is more and does not fit, it is undone.
    pub(super) fn run(&self) -> CUresult {
        let bound = |need: &Need| self.member.graphs.growth.lock().bound(need.bytes);
        let as_it_is = self.reserve(bound, Reservation::if_it_fits).or_else(|| {
            self.member.follow_pools();
            self.reserve(bound, Reservation::if_it_fits)
        });
        if let Some(reserved) = as_it_is {
            return self.beside_others(reserved);
        }
        if let Some(result) = self.without_growth() {
            return result;
        }
        if let Some(reserved) = self.reserve(bound, Reservation::if_there_can_be_room) {
            return self.beside_others(reserved);
        }
        let least = self.reserve(|need| need.bytes, Reservation::if_it_fits);
        let alone = |reserved| {
            let _gates = self.gates();
            self.alone(reserved)
        };
        least.and_then(alone).unwrap_or_else(|| self.refused())
    }

    /// Makes the call with what the driver has already. `None`: that is not enough.
    fn without_growth(&self) -> Option<CUresult> {
        let is_met = || self.graph.needs.iter().all(Need::is_met);
        if !is_met() {
            return None;
        }
        let _gates = self.gates();
        if is_met() { self.alone(self.nothing()) } else { None }
    }

    /// Keeps others from launching graphs with memory on the same devices.
    fn gates(&self) -> Vec<RwLockWriteGuard<'_, ()>> {
        self.graph.needs.iter().map(|need| need.store.alone()).collect()
    }

    /// Sets aside what `bytes` says for each device, or nothing.
    fn reserve(&self, bytes: impl Fn(&Need) -> Bytes, how: Reserve) -> Option<Vec<Reservation>> {
        self.graph.needs.iter().map(|need| how(self.place(need), CLASS, bytes(need))).collect()
    }

    /// Makes the call while others do the same.
    fn beside_others(&self, reserved: Vec<Reservation>) -> CUresult {
        let _gates: Vec<_> = self.graph.needs.iter().map(|need| need.store.beside_others()).collect();
        self.called(reserved)
    }

    fn called(&self, reserved: Vec<Reservation>) -> CUresult {
        let (result, missing) = self.settled(reserved, self.call);
        // More than the driver was believed to take: it is in use and cannot be undone.
        for (need, missing) in self.graph.needs.iter().zip(missing) {
            self.member.account.charge(need.store.device().index, missing);
            need.store.add(missing);
        }
        result
    }

    /// Takes the memory, with the gates held, and makes the call. `None`: it does not fit and has been undone.
    fn alone(&self, reserved: Vec<Reservation>) -> Option<CUresult> {
        let take = match self.take {
            Taking::Before(take) => take,
            Taking::Itself(_) => self.call,
        };
        let (result, missing) = self.settled(reserved, take);
        let needs = self.graph.needs.iter().zip(missing);
        let over = needs.filter(|(need, missing)| !self.charged(need, *missing)).count();
        if over > 0 {
            self.undo(result);
            return None;
        }
        match self.take {
            // Memory that the device has not is refused by the driver itself; whatever else is wrong, it says of the call.
            Taking::Before(_) if result != CUresult::OUT_OF_MEMORY => Some(self.called(self.nothing())),
            _ => Some(result),
        }
    }

    /// Charges what was taken besides what was set aside, and says whether it fits. If not, it is in use until it is given
    /// back.
    fn charged(&self, need: &Need, missing: Bytes) -> bool {
        if missing == Bytes::ZERO {
            return true;
        }
        need.store.add(missing);
        match Reservation::if_it_fits(self.place(need), CLASS, missing) {
            Some(more) => {
                more.keep();
                true
            }
            None => {
                self.member.account.charge(need.store.device().index, missing);
                false
            }
        }
    }

    /// Gives back what was taken, whatever graph it was for.
    fn undo(&self, result: CUresult) {
        if let Taking::Itself(undo) = self.take
            && result.is_success()
        {
            undo();
        }
        for need in &self.graph.needs {
            need.store.trim(&self.member.account);
        }
    }

    /// Makes a call that may take memory, and charges what it took. Also, for each device, what that is more than was
    /// `reserved`.
    fn settled(&self, reserved: Vec<Reservation>, call: &dyn Fn() -> CUresult) -> (CUresult, Vec<Bytes>) {
        let needs = self.graph.needs.iter();
        let begun: Vec<(Begun, u64)> =
            needs.clone().map(|need| (need.store.begin(), need.store.trims())).collect();
        let result = match reserved.first() {
            Some(first) => first.allocate(call),
            None => call(),
        };
        let each = needs.zip(reserved).zip(begun).map(|((need, mut reservation), (begun, trims))| {
            let settled = need.store.settle(begun, reservation.bytes());
            reservation.shrink(settled.used);
            reservation.keep();
            if result.is_success() {
                need.is_mapped(trims);
                if let Some(growth) = settled.growth {
                    self.member.graphs.growth.lock().observe(need.bytes, growth);
                }
            }
            settled.missing
        });
        let missing = each.collect();
        (result, missing)
    }

    fn refused(&self) -> CUresult {
        let noted = |_, need: &Need| refused(self.place(need), CLASS, need.bytes);
        self.graph.needs.iter().fold(CUresult::OUT_OF_MEMORY, noted)
    }

    /// Nothing set aside for any device.
    fn nothing(&self) -> Vec<Reservation> {
        self.graph.needs.iter().map(|need| Reservation::none(self.place(need), CLASS)).collect()
    }

    fn place(&self, need: &Need) -> Place {
        Place { member: self.member, device: need.store.device() }
    }
}
