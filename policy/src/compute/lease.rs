//! Leases: GPU time that a thread reserves ahead, so that most launches touch neither the clock nor shared memory.

use super::Nanos;

/// The most GPU time of one lease, unless a single launch costs more.
///
/// What a thread can launch later than its slice's finish time says, so it must be small against a window of a second; and it
/// is worth a reservation (about 100 ns) many times over.
pub const TIME_MAX: Nanos = Nanos::from_millis(1);

/// The most launches of one lease: launches of no cost must not go unseen for ever.
pub const LAUNCHES_MAX: u32 = 64;

/// The most GPU time of a lease while others launch as well: so much later is the next one in the queue served.
///
/// The same for all of them, whatever their launches cost: those who take turns have equal shares by that.
pub const TIME_MAX_IN_TURNS: Nanos = Nanos::from_micros(100);

/// How much GPU time to reserve for launches that cost about `cost` each, at least one. `in_turns`: others launch as well.
#[must_use]
pub fn size(cost: Nanos, in_turns: bool) -> Nanos {
    let most = if in_turns { TIME_MAX_IN_TURNS } else { TIME_MAX };
    let launches = most.0.checked_div(cost.0).unwrap_or(u64::MAX).clamp(1, u64::from(LAUNCHES_MAX));
    Nanos(cost.0.saturating_mul(launches))
}

/// What a thread has reserved and not used yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    time: Nanos,
    launches: u32,
}

impl Lease {
    /// Nothing is reserved.
    pub const EMPTY: Self = Self { time: Nanos::ZERO, launches: 0 };

    /// Uses `cost` of what is reserved. `false`, and nothing is used, if the lease does not cover it.
    #[must_use]
    pub const fn spend(&mut self, cost: Nanos) -> bool {
        if self.launches == 0 || self.time.0 < cost.0 {
            return false;
        }
        self.time.0 -= cost.0;
        self.launches -= 1;
        true
    }

    /// Whether what is left covers one more launch of `cost`.
    #[must_use]
    pub const fn covers(&self, cost: Nanos) -> bool {
        self.launches > 0 && self.time.0 >= cost.0
    }

    /// Whether what is left covers two more launches of `cost`: the first of them is not the last.
    #[must_use]
    pub const fn covers_two(&self, cost: Nanos) -> bool {
        self.launches > 1 && self.time.0 >= cost.0.saturating_add(cost.0)
    }

    /// Adds `time`, which has just been reserved, to what is left, for the next [`LAUNCHES_MAX`] launches.
    pub const fn renew(&mut self, time: Nanos) {
        self.time = self.time.saturating_add(time);
        self.launches = LAUNCHES_MAX;
    }

    /// Empties the lease; what was left of it is to be given back to the finish time.
    #[must_use]
    pub const fn take(&mut self) -> Nanos {
        let left = self.time;
        *self = Self::EMPTY;
        left
    }
}
