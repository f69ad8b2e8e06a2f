//! The running slices of one user.
//!
//! Every slice that `vgpu run` starts has a directory `run-<pid>-<random>` with its limits page, its accounting region
//! and a lock. The directory is in use while its supervisor holds the lock, or a process holds a slot of the region: a
//! supervisor that is killed leaves its command running under its limits.

mod base;
mod change;
mod gpu_list;
mod run;
mod watch;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use contract::limits_page::Page;
use contract::paths::{self, RunName};

use crate::gpus::Gpu;
use crate::page;

pub use base::RunsError;
pub use change::{ChangeError, change_limits};
pub use run::Run;
pub use watch::PageWatch;

/// The directory of this user's running slices.
#[derive(Debug)]
pub struct Runs {
    dir: PathBuf,
}

/// A slice of somebody, possibly of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRun {
    /// Who started it.
    pub name: RunName,
    /// What it may use.
    pub page: Page,
}

/// A slice in use, whatever state its files are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRun {
    /// Who started it.
    pub name: RunName,
    /// Whether that one still runs.
    pub is_supervised: bool,
    /// Its accounting region, which the first process that needs it makes.
    pub region: PathBuf,
    /// What it may use, or why that cannot be read.
    pub page: Result<Page, String>,
    /// The GPUs of its page, as they were when it was started.
    pub gpus: Vec<Gpu>,
}

impl Runs {
    /// This user's directory, made when it is not there: `vgpu` in `runtime_dir` (`$XDG_RUNTIME_DIR`) when that is a
    /// directory of this user that nobody else may write, else `/dev/shm/vgpu-run-<uid>`.
    ///
    /// # Errors
    /// [`RunsError`] when it cannot be made, or is not private to this user.
    pub fn open(runtime_dir: Option<&Path>) -> Result<Self, RunsError> {
        let uid = rustix::process::geteuid().as_raw();
        Self::at(base::choose(runtime_dir, uid))
    }

    /// The directory `dir`, made when it is not there.
    ///
    /// # Errors
    /// [`RunsError`] when it cannot be made, or is not private to this user.
    pub fn at(dir: PathBuf) -> Result<Self, RunsError> {
        let uid = rustix::process::geteuid().as_raw();
        base::make_private(&dir, uid)?;
        Ok(Self { dir })
    }

    /// The directories of running slices that this user has already, in any place that [`Runs::open`] may choose.
    #[must_use]
    pub fn existing(runtime_dir: Option<&Path>) -> Vec<Result<Self, RunsError>> {
        let uid = rustix::process::geteuid().as_raw();
        let there = base::all(runtime_dir, uid).into_iter().filter(|dir| dir.symlink_metadata().is_ok());
        there.map(|dir| base::is_private(&dir, uid).map(|()| Self { dir })).collect()
    }

    /// Makes the directory of a new slice and removes those of slices that have ended.
    ///
    /// # Errors
    /// [`RunsError`] when the directory or its files cannot be made.
    pub fn start(&self, page: &Page) -> Result<Run, RunsError> {
        let error = |source| RunsError::Io { path: self.dir.clone(), source };
        let _exclusive = self.lock().map_err(error)?;
        self.remove_ended().map_err(error)?;
        Run::create(&self.dir, page)
    }

    /// The slices in use whose limits can be read.
    ///
    /// # Errors
    /// [`RunsError`] when the directory cannot be read.
    pub fn live(&self) -> Result<Vec<LiveRun>, RunsError> {
        let error = |source| RunsError::Io { path: self.dir.clone(), source };
        let _exclusive = self.lock().map_err(error)?;
        let live = self.entries().map_err(error)?.into_iter().filter(|(_, dir)| run::is_live(dir));
        Ok(live
            .filter_map(|(name, dir)| Some(LiveRun { name, page: page::read(&limits_file(&dir)).ok()? }))
            .collect())
    }

    /// The slices in use, in order of their names.
    ///
    /// # Errors
    /// [`RunsError`] when the directory cannot be read.
    pub fn list(&self) -> Result<Vec<ListedRun>, RunsError> {
        let error = |source| RunsError::Io { path: self.dir.clone(), source };
        let _exclusive = self.lock().map_err(error)?;
        let live = self.entries().map_err(error)?.into_iter().filter(|(_, dir)| run::is_live(dir));
        let mut listed: Vec<ListedRun> = live.map(|(name, dir)| listed(name, &dir)).collect();
        listed.sort_by_key(|run| (run.name.pid, run.name.random));
        Ok(listed)
    }

    /// Whether the slice `name` is, or was, one of these.
    #[must_use]
    pub fn has(&self, name: RunName) -> bool {
        self.dir.join(name.to_string()).symlink_metadata().is_ok()
    }

    /// The directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The directories of slices, also of such as have ended or are just being made.
    pub(crate) fn dirs(&self) -> io::Result<Vec<PathBuf>> {
        Ok(self.entries()?.into_iter().map(|(_, dir)| dir).collect())
    }

    /// Keeps others from making and removing slices while the answer is held.
    fn lock(&self) -> io::Result<File> {
        let dir = File::open(&self.dir)?;
        dir.lock()?;
        Ok(dir)
    }

    fn remove_ended(&self) -> io::Result<()> {
        for (_, dir) in self.entries()? {
            if !run::is_live(&dir) {
                // A slice that is just ending removes its own directory, and one that stays is in nobody's way.
                let _ = fs::remove_dir_all(&dir);
            }
        }
        Ok(())
    }

    fn entries(&self) -> io::Result<Vec<(RunName, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if let Some(name) = entry.file_name().to_str().and_then(RunName::parse) {
                found.push((name, entry.path()));
            }
        }
        Ok(found)
    }
}

fn listed(name: RunName, dir: &Path) -> ListedRun {
    ListedRun {
        name,
        is_supervised: run::is_supervised(dir),
        region: dir.join(paths::RUN_REGION),
        page: page::read(&limits_file(dir)),
        gpus: gpu_list::read(&dir.join(paths::RUN_GPUS)),
    }
}

/// The limits page of the slice in `dir`.
pub(crate) fn limits_file(dir: &Path) -> PathBuf {
    paths::limits_file(&dir.join(paths::RUN_LIMITS_DIR))
}
