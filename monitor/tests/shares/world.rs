//! The slices, their processes and the clock.

use std::fs::{self};
use std::path::PathBuf;
use std::time::Duration;

use contract::env::Priority;
use contract::limits_page::{
    ComputeWords, Entry, EnvShare, Page, SharePolicy, cores_word, effective_word, in_force, policy_word,
};
use contract::{Percent, Uuid, paths};
use monitor::runs::{Run, Runs};
use monitor::shares::{Owner, PERIOD, Place};
use policy::compute::Nanos;
use shared_region::{Member, Region};
use tempfile::TempDir;
pub(crate) const GPU: Uuid = Uuid([7; 16]);

/// A directory of running slices, and what it is to be divided by.
pub(crate) struct World {
    _home: TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) owner: Owner,
    pub(crate) now: Nanos,
}

/// A slice with one process.
pub(crate) struct Tenant {
    pub(crate) run: Run,
    pub(crate) process: Member,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let dir = home.path().join("vgpu");
        Self { dir, _home: home, owner: Owner::default(), now: Nanos::from_secs(1000) }
    }

    pub(crate) fn start(&mut self, policy: SharePolicy, cores: Option<u8>, priority: u32) -> Tenant {
        let runs = Runs::at(self.dir.clone()).expect("a private directory");
        let entry = Entry {
            cores: cores.and_then(Percent::new),
            policy,
            priority: Priority(priority),
            ..Entry::unlimited(GPU)
        };
        let run = runs.start(&Page::new(vec![entry]).expect("one entry")).expect("a slice");
        let process = Region::open(&run.region()).expect("a region").join().expect("a slot");
        self.adopt();
        Tenant { run, process }
    }

    pub(crate) fn adopt(&mut self) {
        let dirs = fs::read_dir(&self.dir).expect("readable").map(|entry| entry.expect("readable").path());
        let places: Vec<Place> = dirs.filter(|path| path.is_dir()).map(|dir| Place::of_run(&dir)).collect();
        self.owner.adopt(&places);
    }

    /// Lets a second pass in which each of `tenants` does what is written beside it, every time before the owner looks.
    pub(crate) fn pass(&mut self, tenants: &[(&Tenant, Act)]) {
        for _ in 0..20 {
            self.now = self.now.saturating_add(PERIOD);
            for (tenant, act) in tenants {
                tenant.act(*act, self.now);
            }
            self.owner.look(self.now);
        }
    }

    /// The share in thousandths that is in force for `tenant` so long after the last look, and whether its gate is closed.
    pub(crate) fn in_force_after(&self, tenant: &Tenant, time: Duration) -> (u16, bool) {
        let words = words(&tenant.run);
        let page = ComputeWords {
            cores: words[cores_word(0)],
            policy: words[policy_word(0)],
            effective: words[effective_word(0)],
        };
        let in_force = in_force(Some(page), EnvShare::default(), Duration::from_nanos(self.now.0) + time);
        (in_force.share.get(), in_force.is_gated)
    }

    pub(crate) fn in_force(&self, tenant: &Tenant) -> (u16, bool) {
        self.in_force_after(tenant, Duration::ZERO)
    }
}

/// What a process does in a period.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Nothing,
    /// It uses so many thousandths of the GPU.
    Use(u64),
    /// It uses so many and would use more.
    Wait(u64),
}

impl Tenant {
    pub(crate) fn act(&self, act: Act, now: Nanos) {
        let device = Region::open(&self.run.region()).expect("a region").device(GPU).expect("an entry");
        let stats = self.process.compute(device).expect("a member").stats;
        let (Act::Use(share) | Act::Wait(share)) = act else { return };
        stats.launched(1, now);
        stats.used(Nanos(PERIOD.0 / 1000 * share));
        if matches!(act, Act::Wait(_)) {
            stats.begin_wait();
            stats.end_wait(Nanos(1));
        }
    }
}

pub(crate) fn words(run: &Run) -> Vec<u64> {
    let bytes = fs::read(paths::limits_file(&run.limits_dir())).expect("a limits page");
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
