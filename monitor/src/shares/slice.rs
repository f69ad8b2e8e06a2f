//! One slice, as the owner of balance and priorities knows it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use contract::limits_page::{Effective, Entry, Page};
use contract::{Uuid, paths};
use policy::compute::Nanos;
use policy::compute::demand::Demand;
use shared_region::snapshot::Activity;
use shared_region::{LimitsFileError, SharesFile};

use super::Place;
use super::processes::Processes;
use crate::runs::limits_file;

/// A slice's page and demands.
#[derive(Debug)]
pub(super) struct Slice {
    region: PathBuf,
    file: SharesFile,
    /// What the page said when it was last read, and which of its changes that was.
    page: Option<(u64, Page)>,
    processes: Processes,
    demands: HashMap<Uuid, Demand>,
}

impl Slice {
    /// # Errors
    /// There is no limits page.
    pub(super) fn open(place: &Place) -> Result<Self, LimitsFileError> {
        Ok(Self {
            region: place.region.clone(),
            file: SharesFile::open(&place.limits)?,
            page: None,
            processes: Processes::default(),
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
            let seen = self.processes.seen(&activity, gpu, wall);
            let demand = self.demands.entry(gpu).or_default();
            *demand = demand.after(seen);
        }
        self.processes.remember(&activity, wall);
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
    pub fn of_run(dir: &Path) -> Self {
        Self { limits: limits_file(dir), region: dir.join(paths::RUN_REGION) }
    }
}
