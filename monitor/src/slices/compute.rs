//! What slices and their processes do with GPUs' time.

use std::time::Duration;

use contract::Permille;
use contract::limits_page::SharePolicy;
use policy::compute::Nanos;
use policy::compute::trim::Trim;
use shared_region::snapshot::ComputeUse;

use super::{Slice, SliceGpu, SliceProcess};

/// What one process, or all of a slice, does with one GPU's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compute {
    /// How often it has launched something while that was measured.
    pub launches: u64,
    /// How long its threads have waited for their turn, together.
    pub waited: Duration,
    /// GPU time that was measured of it, not corrected.
    pub busy: Duration,
    /// Threads that wait now.
    pub waiting: u32,
    /// The share in force, which all processes of the slice have together; `None` before a launch that was measured.
    pub share: Option<Permille>,
    /// The thousandths of the GPU's time that it had between two looks, corrected; `None` before the second, and where
    /// nothing was metered.
    pub achieved: Option<u32>,
}

impl From<ComputeUse> for Compute {
    fn from(using: ComputeUse) -> Self {
        let time = |Nanos(nanos)| Duration::from_nanos(nanos);
        Self {
            launches: using.launches,
            waited: time(using.waited),
            busy: time(using.busy),
            waiting: using.waiting,
            share: using.share.and_then(|share| Permille::new(share.permille())),
            achieved: None,
        }
    }
}

impl Compute {
    /// Both together. What processes write may be anything, so no sum overflows.
    fn and(self, other: Self) -> Self {
        let sum = |one: Option<u32>, other: Option<u32>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self {
            launches: self.launches.saturating_add(other.launches),
            waited: self.waited.saturating_add(other.waited),
            busy: self.busy.saturating_add(other.busy),
            waiting: self.waiting.saturating_add(other.waiting),
            share: self.share.max(other.share),
            achieved: sum(self.achieved, other.achieved),
        }
    }

    /// Thousandths of `wall` that the GPU worked for it since it was `before`, if what was measured is corrected by `trim`.
    fn achieved_since(&self, before: &Self, wall: Duration, trim: Trim) -> Option<u32> {
        let busy = self.busy.saturating_sub(before.busy);
        let busy = trim.apply(Nanos(u64::try_from(busy.as_nanos()).unwrap_or(u64::MAX)));
        let thousandths = u128::from(busy.0).saturating_mul(1000);
        let achieved = thousandths.checked_div(wall.as_nanos())?;
        Some(u32::try_from(achieved).unwrap_or(u32::MAX))
    }

    /// Finds out what it has achieved since it was `before`, which is `wall` ago.
    ///
    /// Where nothing is metered, the share is what was in force when something was, and time is no longer counted: that
    /// none was is not news of its use.
    fn compare(&mut self, before: &Self, wall: Duration, terms: Terms) {
        if self.launches == 0 {
            return;
        }
        let was_metered = (self.launches, self.busy) != (before.launches, before.busy);
        match self.share {
            Some(Permille::ALL) if !terms.are_metered => {}
            // A limit in a program's own environment is metered whatever the slice's terms are.
            Some(_) if !terms.are_metered && !was_metered => self.share = None,
            _ => self.achieved = self.achieved_since(before, wall, terms.trim),
        }
    }
}

/// What a slice's use of a GPU is measured by.
#[derive(Clone, Copy)]
struct Terms {
    trim: Trim,
    /// Whether the slice has a share that launches are metered for.
    are_metered: bool,
}

impl Terms {
    fn of(gpu: &SliceGpu) -> Self {
        let are_metered = gpu.cores.is_some() && gpu.policy != SharePolicy::Unlimited;
        Self { trim: gpu.correction.trim, are_metered }
    }
}

impl Slice {
    /// Whether any process has launched something that was measured.
    #[must_use]
    pub fn computes(&self) -> bool {
        self.gpus.iter().any(|gpu| gpu.compute.launches > 0)
    }

    /// Finds out what everybody has achieved since the slice was as `before`, which is `wall` ago.
    pub fn compare(&mut self, before: &Self, wall: Duration) {
        let gpus: Vec<_> = self.gpus.iter().map(|gpu| (gpu.uuid, Terms::of(gpu))).collect();
        for process in self.processes.iter_mut().filter(|process| process.alive) {
            let old = before.processes.iter().find(|old| is_same(old, process));
            for ((uuid, terms), usage) in gpus.iter().zip(&mut process.usage) {
                let place = before.gpus.iter().position(|gpu| gpu.uuid == *uuid);
                let old = old.zip(place).and_then(|(old, place)| old.usage.get(place));
                let old = old.map_or_else(Compute::default, |old| old.compute);
                usage.compute.compare(&old, wall, *terms);
            }
        }
        self.add_up();
    }

    /// Sums up what the processes that live do.
    pub(super) fn add_up(&mut self) {
        for (place, gpu) in self.gpus.iter_mut().enumerate() {
            let alive = self.processes.iter().filter(|process| process.alive);
            let uses = alive.filter_map(|process| Some(process.usage.get(place)?.compute));
            gpu.compute = uses.fold(Compute::default(), Compute::and);
        }
    }
}

fn is_same(one: &SliceProcess, other: &SliceProcess) -> bool {
    let identity = |process: &SliceProcess| (process.pid_namespace, process.own_pid, process.started);
    identity(one) == identity(other)
}
