//! The comparison of what was metered with what NVML reports: one process of the slice makes it, now and then, while it works.

use super::device::Metered;
use super::meter;
use crate::clock;
use crate::state::{Member, Usage, Users, keep_started, slice};
use policy::compute::Nanos;
use policy::compute::trim::PERIOD;
use std::sync::{Mutex, MutexGuard, TryLockError};
use tracker::launches;

/// How long to rely on who the slice's processes are.
const REFRESH: Nanos = Nanos::from_secs(1);

/// What a process remembers from one comparison to the next.
#[derive(Default)]
pub(super) struct Trimmer(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    curve: launches::Trimmer,
    users: Option<Users>,
    /// When those were looked up.
    looked_up: Nanos,
    /// The end of the last sample window, in NVML's microseconds.
    window: u64,
}

impl Trimmer {
    /// Remembers that the slice had metered `total` by `now`, and compares, if it is time and this process's turn. Only the meter
    /// comes here.
    pub(super) fn consider(&self, metered: &Metered, member: &'static Member, now: Nanos, total: Nanos) {
        let trim = metered.shared.trim;
        let Some(mut memory) = self.memory() else { return };
        memory.curve.note(now, total);
        if trim.take_turn(now, PERIOD).is_none() {
            return;
        }
        match memory.usage(metered, member, now) {
            Ok(Some(Usage { end, window })) => {
                // NVML tells the time of the day, and what was metered is remembered by the other clock.
                let since = clock::realtime_ns().saturating_sub(end);
                let end = clock::monotonic().saturating_sub(Nanos(since));
                trim.set_trim(memory.curve.compare(end, window, trim.trim()));
            }
            // NVML has nothing new to say.
            Ok(None) => {}
            Err(NoSource) => return trim.note_source(false),
        }
        trim.note_source(true);
    }

    /// Remembers the same for a thread that waits for its turn.
    pub(super) fn glance(&self, now: Nanos, total: Nanos) {
        if let Some(mut memory) = self.memory() {
            memory.curve.glance(now, total);
        }
    }

    /// None while another thread has it: that one remembers something as new.
    fn memory(&self) -> Option<MutexGuard<'_, Memory>> {
        match self.0.try_lock() {
            Ok(memory) => Some(memory),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// NVML does not tell what the slice's processes use.
struct NoSource;

impl Memory {
    /// What NVML tells of its last sample window, if that is new.
    fn usage(
        &mut self,
        metered: &Metered,
        member: &'static Member,
        now: Nanos,
    ) -> Result<Option<Usage>, NoSource> {
        let slice = slice().ok().flatten().ok_or(NoSource)?;
        let are_others = self.curve.are_others(now, slice.members(member));
        // Not more often where there are none: then it is likely to stay so.
        if are_others || now.saturating_sub(self.looked_up) >= REFRESH {
            keep_started();
            meter::stop_before_nvml();
            self.users = slice.users(member, metered.device);
            self.looked_up = now;
        }
        let users = self.users.as_ref().ok_or(NoSource)?;
        users.latest_use(&mut self.window).map_err(|_| NoSource)
    }
}
