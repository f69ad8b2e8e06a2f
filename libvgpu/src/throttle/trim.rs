//! The comparison of what was metered with what NVML reports: one process of the slice makes it, now and then, while it works.

use super::device::Metered;
use crate::state::{Member, Users, keep_started, slice};
use policy::compute::Nanos;
use policy::compute::trim::PERIOD;
use shared_region::compute::Turn;
use std::sync::{Mutex, TryLockError};

/// How long to rely on who the slice's processes are.
const REFRESH: Nanos = Nanos::from_secs(1);

/// What a process remembers from one comparison to the next.
#[derive(Default)]
pub(super) struct Trimmer(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    users: Option<Users>,
    /// When those were looked up.
    looked_up: Nanos,
    /// The end of the last sample window, in NVML's microseconds.
    window: u64,
}

impl Trimmer {
    /// Compares, if it is time and this process's turn. Only the meter comes here.
    pub(super) fn consider(&self, metered: &Metered, member: &'static Member, now: Nanos) {
        let trim = metered.shared.trim;
        let Some(turn) = trim.take_turn(now, PERIOD) else { return };
        let mut memory = match self.0.try_lock() {
            Ok(memory) => memory,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        match memory.reported(metered, member, turn, now) {
            Ok(Some(reported)) => trim.compare(turn, reported),
            // NVML has nothing new to say.
            Ok(None) => {}
            Err(NoSource) => return trim.note_source(false),
        }
        trim.note_source(true);
    }
}

/// NVML does not tell what the slice's processes use.
struct NoSource;

impl Memory {
    /// GPU time of the slice's processes in the time of `turn`, as NVML tells it of its last sample window.
    fn reported(
        &mut self,
        metered: &Metered,
        member: &'static Member,
        turn: Turn,
        now: Nanos,
    ) -> Result<Option<Nanos>, NoSource> {
        if self.users.is_none() || now.saturating_sub(self.looked_up) >= REFRESH {
            keep_started();
            let slice = slice().ok().flatten().ok_or(NoSource)?;
            self.users = slice.users(member, metered.device);
            self.looked_up = now;
        }
        let users = self.users.as_ref().ok_or(NoSource)?;
        let percent = users.latest_use(&mut self.window).map_err(|_| NoSource)?;
        Ok(percent.zip(turn.wall).map(|(percent, wall)| wall.in_proportion(percent, 100)))
    }
}
