//! One slice, as the owner of balance and priorities knows it.

use std::collections::HashMap;
use std::path::PathBuf;

use contract::limits_page::{Effective, Entry, Page};
use contract::{Uuid, paths};
use policy::compute::Nanos;
use policy::compute::demand::{Demand, Seen};
use policy::compute::trim::Trim;
use shared_region::snapshot::{Activity, ComputeUse, ProcessActivity};
use shared_region::{LimitsFileError, SharesFile, SlotId};

use super::Place;

/// A slice's page and demands.
#[derive(Debug)]
pub(super) struct Slice {
    region: PathBuf,
    file: SharesFile,
    /// What the page said when it was last read, and which of its changes that was.
    page: Option<(u64, Page)>,
    /// What the living processes had done at the last look; `None` before the first.
    before: Option<Before>,
    demands: HashMap<Uuid, Demand>,
}

/// By slot and owner, what a process had done with each GPU.
type Before = HashMap<(SlotId, u64), HashMap<Uuid, ComputeUse>>;

impl Slice {
    /// # Errors
    /// There is no limits page.
    pub(super) fn open(place: &Place) -> Result<Self, LimitsFileError> {
        Ok(Self {
            region: place.region.clone(),
            file: SharesFile::open(&place.limits)?,
            page: None,
            before: None,
            demands: HashMap::new(),
        })
    }

    /// Looks at the page and at what the processes have done in the last `wall` of time.
    pub(super) fn look(&mut self, wall: Nanos) {
        self.read_page();
        // A slice whose region is not there yet, or makes no sense, does nothing.
        let activity = Activity::read(&self.region).unwrap_or_default();
        let gpus: Vec<Uuid> = self.entries().iter().map(|entry| entry.uuid).collect();
        self.demands.retain(|gpu, _| gpus.contains(gpu));
        for gpu in gpus {
            let seen = seen(&activity, gpu, self.before.as_ref(), wall);
            let demand = self.demands.entry(gpu).or_default();
            *demand = demand.after(seen);
        }
        self.before = Some(before(&activity));
    }

    /// A page that is being written at this very moment, or makes no sense, stays what it was.
    fn read_page(&mut self) {
        // Fails while its writer is alive, who ends it himself.
        let _ = self.file.repair();
        let generation = self.file.generation();
        if self.page.as_ref().is_none_or(|(known, _)| *known != generation)
            && let Ok(page) = self.file.page()
        {
            self.page = Some((generation, page));
        }
    }

    /// What the page says of each GPU, in the order of its entries.
    pub(super) fn entries(&self) -> &[Entry] {
        self.page.as_ref().map_or(&[], |(_, page)| page.entries())
    }

    /// How much it wants of `gpu`.
    pub(super) fn demand(&self, gpu: Uuid) -> Demand {
        self.demands.get(&gpu).copied().unwrap_or_default()
    }

    /// Whether it does anything, or did a moment ago.
    pub(super) fn is_active(&self) -> bool {
        self.demands.values().any(|demand| demand.is_active())
    }

    /// Allows it so much of the GPU of entry `entry`, or nothing more than its own share. While somebody else changes the page it
    /// stays as it is, until the next look.
    pub(super) fn allow(&self, entry: usize, effective: Option<Effective>) {
        let _ = self.file.allow(entry, effective);
    }
}

impl Place {
    /// The place of a slice with a directory of its own, as [`runs`](crate::runs) has it.
    #[must_use]
    pub fn of_run(dir: &std::path::Path) -> Self {
        Self {
            limits: paths::limits_file(&dir.join(paths::RUN_LIMITS_DIR)),
            region: dir.join(paths::RUN_REGION),
        }
    }
}

/// What the processes have done with `gpu` in the last `wall`, all together.
fn seen(activity: &Activity, gpu: Uuid, before: Option<&Before>, wall: Nanos) -> Seen {
    let mut seen = Seen { wall, used: Nanos::ZERO, waited: false };
    let Some(place) = activity.devices.iter().position(|device| *device == gpu) else { return seen };
    for process in &activity.processes {
        let Some(now) = process.uses.get(place) else { continue };
        let last = match before {
            // What it did before anybody looked may have been long ago.
            None => *now,
            Some(before) => {
                before.get(&key(process)).and_then(|uses| uses.get(&gpu)).copied().unwrap_or_default()
            }
        };
        let trim = activity.corrections.get(place).map_or(Trim::ONE, |correction| correction.trim);
        seen.used = seen.used.saturating_add(used(&last, now, trim));
        seen.waited |= now.waiting > 0 || now.waited > last.waited;
    }
    seen
}

/// GPU time used between two looks, corrected by `trim`. Who has launched has used some, though it may not have been measured yet.
fn used(last: &ComputeUse, now: &ComputeUse, trim: Trim) -> Nanos {
    let launched = now.launches > last.launches || now.last_launch > last.last_launch;
    trim.apply(now.busy.saturating_sub(last.busy)).max(Nanos(u64::from(launched)))
}

fn before(activity: &Activity) -> Before {
    let uses =
        |process: &ProcessActivity| activity.devices.iter().copied().zip(process.uses.clone()).collect();
    activity.processes.iter().map(|process| (key(process), uses(process))).collect()
}

fn key(process: &ProcessActivity) -> (SlotId, u64) {
    (process.slot, process.incarnation)
}
