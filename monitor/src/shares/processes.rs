//! What the processes of a slice do between two looks.

use std::collections::HashMap;

use contract::Uuid;
use policy::compute::Nanos;
use policy::compute::demand::Seen;
use policy::compute::finish::WAIT_MAX;
use policy::compute::trim::Trim;
use shared_region::SlotId;
use shared_region::snapshot::{Activity, ComputeUse, ProcessActivity};

use super::PERIOD;

/// Nobody waits longer at a time. A process that seems to has been stopped in the middle of a wait, and wants nothing until it
/// goes on.
const LONGEST_WAIT: Nanos = WAIT_MAX.saturating_add(PERIOD).saturating_add(PERIOD);

/// What the processes of a slice had done at the last look.
#[derive(Debug, Default)]
pub(super) struct Processes {
    /// By slot and owner, and by GPU; `None` before the first look.
    last: Option<HashMap<(SlotId, u64), HashMap<Uuid, Last>>>,
}

/// What a process had done with a GPU at a look.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    using: ComputeUse,
    /// For how long it had been the same.
    unchanged: Nanos,
}

impl Processes {
    /// What they have done with `gpu` since the last look, which is `wall` ago, all together.
    pub(super) fn seen(&self, activity: &Activity, gpu: Uuid, wall: Nanos) -> Seen {
        let mut seen = Seen { wall, used: Nanos::ZERO, waited: false };
        let Some(place) = activity.devices.iter().position(|device| *device == gpu) else { return seen };
        let trim = activity.corrections.get(place).map_or(Trim::ONE, |correction| correction.trim);
        for process in &activity.processes {
            let Some(now) = process.uses.get(place) else { continue };
            let last = self.last(process, gpu, now);
            seen.used = seen.used.saturating_add(used(&last.using, now, trim));
            let waits = now.waiting > 0 && last.then(now, wall).unchanged < LONGEST_WAIT;
            seen.waited |= waits || now.waited > last.using.waited;
        }
        seen
    }

    /// Makes this look, `wall` after the last one, the last one.
    pub(super) fn remember(&mut self, activity: &Activity, wall: Nanos) {
        let uses = |process: &ProcessActivity| {
            let uses = activity.devices.iter().zip(&process.uses);
            uses.map(|(gpu, now)| (*gpu, self.last(process, *gpu, now).then(now, wall))).collect()
        };
        self.last = Some(activity.processes.iter().map(|process| (key(process), uses(process))).collect());
    }

    /// What `process`, which does `now`, had done with `gpu`.
    fn last(&self, process: &ProcessActivity, gpu: Uuid, now: &ComputeUse) -> Last {
        match &self.last {
            // What it did before anybody looked may have been long ago.
            None => Last { using: *now, unchanged: Nanos::ZERO },
            Some(last) => {
                last.get(&key(process)).and_then(|uses| uses.get(&gpu)).copied().unwrap_or_default()
            }
        }
    }
}

impl Last {
    /// What is known at the next look, `wall` later, which finds `now`.
    fn then(&self, now: &ComputeUse, wall: Nanos) -> Self {
        let unchanged = if self.using == *now { self.unchanged.saturating_add(wall) } else { Nanos::ZERO };
        Self { using: *now, unchanged }
    }
}

/// GPU time used between two looks, corrected by `trim`. Who has launched has used some, though it may not have been measured
/// yet.
fn used(last: &ComputeUse, now: &ComputeUse, trim: Trim) -> Nanos {
    let launched = now.launches > last.launches || now.last_launch > last.last_launch;
    trim.apply(now.busy.saturating_sub(last.busy)).max(Nanos(u64::from(launched)))
}

fn key(process: &ProcessActivity) -> (SlotId, u64) {
    (process.slot, process.incarnation)
}
