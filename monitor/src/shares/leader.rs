//! Who is the owner: of the supervisors of a directory of running slices, the one that holds a lock, which ends with it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use contract::paths;
use policy::compute::Nanos;
use rustix::fs::OFlags;
use rustix::time::{ClockId, clock_gettime};

use super::{IDLE_PERIOD, Owner, Place};
use crate::runs::{Runs, RunsError};

/// Slices come and go; a change of the directory tells, but for one in the same tick of its clock as another. So after so many looks
/// they are looked for anyway.
const LOOKS: u32 = 4;

/// Whether somebody is the owner among the slices in `runs`.
#[must_use]
pub fn has_owner(runs: &Runs) -> bool {
    let lock = File::open(runs.dir().join(paths::RUNS_LEADER));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Somebody who is ready to be the owner.
#[derive(Debug)]
pub struct Candidate {
    runs: Runs,
    lock: File,
}

/// The owner among the slices of one directory, until this is dropped or the process ends.
#[derive(Debug)]
pub struct Leader {
    runs: Runs,
    lock: File,
    owner: Owner,
    /// When the directory had last been changed as its slices were last looked for; `None`: they are to be looked for.
    changed: Option<SystemTime>,
    looks: u32,
}

impl Candidate {
    /// A candidate for the slices in `runs`.
    ///
    /// # Errors
    /// [`RunsError`] when the lock cannot be opened.
    pub fn new(runs: Runs) -> Result<Self, RunsError> {
        let path = runs.dir().join(paths::RUNS_LEADER);
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(0o600).custom_flags(flags);
        let lock = options.open(&path).map_err(|source| RunsError::Io { path, source })?;
        Ok(Self { runs, lock })
    }

    /// Waits until there is no other owner. Nothing is done meanwhile: the kernel wakes one candidate when an owner ends.
    ///
    /// # Errors
    /// The lock cannot be had.
    pub fn wait(self) -> io::Result<Leader> {
        loop {
            match self.lock.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => break locked?,
            }
        }
        let Self { runs, lock } = self;
        Ok(Leader { runs, lock, owner: Owner::default(), changed: None, looks: 0 })
    }
}

impl Leader {
    /// Looks at the slices and allows each what it is to have until the next look. How long until that.
    pub fn look(&mut self) -> Duration {
        self.find_slices();
        // Others may change pages at any time.
        self.owner.look_now().unwrap_or(Duration::from_nanos(IDLE_PERIOD.0))
    }

    /// Makes way for the next.
    ///
    /// # Errors
    /// The lock cannot be let go of, other than by ending.
    pub fn resign(self) -> io::Result<Candidate> {
        self.lock.unlock()?;
        Ok(Candidate { runs: self.runs, lock: self.lock })
    }

    fn find_slices(&mut self) {
        self.looks = (self.looks + 1) % LOOKS;
        let changed = self.runs.dir().metadata().and_then(|dir| dir.modified()).ok();
        if changed.is_some() && changed == self.changed && self.looks != 0 {
            return;
        }
        let dirs = self.runs.dirs().unwrap_or_default();
        let places: Vec<Place> = dirs.iter().map(|dir: &PathBuf| Place::of_run(dir)).collect();
        let is_complete = self.owner.adopt(&places);
        self.changed = changed.filter(|_| is_complete);
    }
}

/// The time by the clock that regions and limits pages are written by.
#[must_use]
pub fn now() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Nanos::from_secs(seconds).saturating_add(Nanos(u64::try_from(time.tv_nsec).unwrap_or(0)))
}
