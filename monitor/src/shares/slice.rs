//! One slice, as the owner of balance and priorities knows it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::limits_page::{Effective, Entry, Page};
use contract::{Permille, Uuid, paths};
use policy::compute::Nanos;
use policy::compute::demand::Demand;
use shared_region::snapshot::Activity;
use shared_region::{LimitsFileError, SharesFile, Writers};

use super::processes::Processes;
use super::{IDLE_PERIOD, PERIOD, Place};
use crate::runs::limits_file;

/// What is allowed is written again this often while it stays the same: four times in the second for which it holds.
const RENEWED_AFTER: Duration = Duration::from_millis(250);

/// A slice's page and demands.
#[derive(Debug)]
pub(super) struct Slice {
    region: PathBuf,
    file: SharesFile,
    /// What the page said when it was last read, and which of its changes that was.
    page: Option<(u64, Page)>,
    /// When its region was last looked at, if anybody wants to know.
    looked: Option<Nanos>,
    processes: Processes,
    demands: HashMap<Uuid, Demand>,
}

impl Slice {
    /// # Errors
    /// There is no limits page.
    pub(super) fn open(place: &Place, writers: Writers) -> Result<Self, LimitsFileError> {
        Ok(Self {
            region: place.region.clone(),
            file: SharesFile::open_among(&place.limits, writers)?,
            page: None,
            looked: None,
            processes: Processes::default(),
            demands: HashMap::new(),
        })
    }

    /// Whether its page is still the one that is to be found in its place.
    pub(super) fn is_current(&self) -> bool {
        self.file.is_current()
    }

    /// Whether it was last looked at so long ago that it has to be at `now`, whoever works.
    pub(super) fn is_due(&self, now: Nanos) -> bool {
        self.looked.is_none_or(|looked| now.saturating_sub(looked) >= IDLE_PERIOD)
    }

    /// Looks at what the processes have done until `now`.
    pub(super) fn look(&mut self, now: Nanos) {
        let wall = self.looked.replace(now).map_or(PERIOD, |looked| now.saturating_sub(looked));
        // A slice whose region is not there yet, or makes no sense, does nothing.
        let activity = Activity::read(&self.region).unwrap_or_default();
        let gpus: Vec<Uuid> = self.entries().iter().map(|entry| entry.uuid).collect();
        self.demands.retain(|gpu, _| gpus.contains(gpu));
        for gpu in gpus {
            let seen = self.processes.seen(&activity, gpu, wall);
            let demand = self.demands.entry(gpu).or_default();
            *demand = demand.after(seen);
        }
        self.processes.remember(&activity, wall);
    }

    /// Forgets what the processes did: nobody wants to know at the moment.
    pub(super) fn forget(&mut self) {
        self.looked = None;
        self.processes = Processes::default();
        self.demands.clear();
    }

    /// Looks at the page. One that is being written at this very moment, or makes no sense, stays what it was.
    pub(super) fn read_page(&mut self) {
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

    /// Allows it so much of the GPU of entry `entry`, where it has `own` without being allowed anything; `None` is no limit, and then
    /// nobody measures what it does. Written only where its processes go by something else, or will soon. While somebody else changes
    /// the page it stays as it is, until the next look.
    pub(super) fn allow(&self, entry: usize, own: Option<Permille>, next: Effective) {
        if is_due(self.file.allowed(entry), own, next) {
            let _ = self.file.allow(entry, Some(next));
        }
    }

    /// Allows it nothing more than its own share of the GPU of entry `entry`, for good.
    pub(super) fn allow_nothing(&self, entry: usize) {
        let _ = self.file.allow(entry, None);
    }
}

/// Whether `next` is to be written over `written`, for a slice that has `own` when nothing is. So a page at rest is not touched.
fn is_due(written: Option<Effective>, own: Option<Permille>, next: Effective) -> bool {
    let meaning = |effective: Effective| (effective.share, effective.is_gated);
    let is_own = own.is_some_and(|own| meaning(next) == (own, false));
    match written.filter(|written| written.holds(next.at)) {
        None => !is_own,
        Some(written) if meaning(written) == meaning(next) => {
            !is_own && written.at.abs_diff(next.at) >= RENEWED_AFTER
        }
        Some(_) => true,
    }
}

impl Place {
    /// The place of a slice with a directory of its own, as [`runs`](crate::runs) has it.
    #[must_use]
    pub fn of_run(dir: &Path) -> Self {
        Self { limits: limits_file(dir), region: dir.join(paths::RUN_REGION) }
    }
}
