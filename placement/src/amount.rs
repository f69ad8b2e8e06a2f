//! What is held of a device.

use crate::refusal::Obstacle;

/// An amount of one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Amount {
    /// Containers that share it.
    pub slots: u64,
    /// MiB.
    pub memory: u64,
    /// Percent of its time; who has no limit on time holds none.
    pub cores: u64,
    /// Whether nobody else may have any of it.
    pub is_exclusive: bool,
}

impl Amount {
    /// Both at the same time.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            slots: self.slots.saturating_add(other.slots),
            memory: self.memory.saturating_add(other.memory),
            cores: self.cores.saturating_add(other.cores),
            is_exclusive: self.is_exclusive || other.is_exclusive,
        }
    }

    /// One after the other.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        Self {
            slots: self.slots.max(other.slots),
            memory: self.memory.max(other.memory),
            cores: self.cores.max(other.cores),
            is_exclusive: self.is_exclusive || other.is_exclusive,
        }
    }

    /// What is left of this when somebody has `taken` a part; whether somebody is alone is no question then.
    pub(crate) const fn less(self, taken: Self) -> Self {
        Self {
            slots: self.slots.saturating_sub(taken.slots),
            memory: self.memory.saturating_sub(taken.memory),
            cores: self.cores.saturating_sub(taken.cores),
            is_exclusive: false,
        }
    }

    /// How many of this fit into `left` at the same time.
    pub(crate) fn times_in(self, left: Self) -> u64 {
        let times = |wanted: u64, left: u64| left.checked_div(wanted).unwrap_or(u64::MAX);
        let most = if self.is_exclusive { 1 } else { u64::MAX };
        let parts = [(self.slots, left.slots), (self.memory, left.memory), (self.cores, left.cores)];
        parts.into_iter().fold(most, |most, (wanted, left)| most.min(times(wanted, left)))
    }

    /// Whether this fits into `capacity` beside what is held there already. Who wants nothing of a kind does not mind that others
    /// have too much of it.
    ///
    /// # Errors
    /// The first obstacle.
    pub const fn fits_beside(self, held: Self, capacity: Self) -> Result<(), Obstacle> {
        const fn exceeds(wanted: u64, held: u64, all: u64) -> bool {
            wanted > 0 && held.saturating_add(wanted) > all
        }
        if held.is_exclusive && self.slots > 0 {
            Err(Obstacle::Exclusive)
        } else if self.is_exclusive && held.slots > 0 {
            Err(Obstacle::InUse)
        } else if exceeds(self.slots, held.slots, capacity.slots) {
            Err(Obstacle::Slots)
        } else if exceeds(self.memory, held.memory, capacity.memory) {
            Err(Obstacle::Memory)
        } else if exceeds(self.cores, held.cores, capacity.cores) {
            Err(Obstacle::Cores)
        } else {
            Ok(())
        }
    }
}
