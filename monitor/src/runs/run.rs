//! The directory of one running slice.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use contract::limits_page::Page;
use contract::paths::{self, RunName};
use rustix::rand::{GetRandomFlags, getrandom};

use super::base::PRIVATE;
use super::{RunsError, gpu_list};
use crate::gpus::Gpu;
use crate::plain;
use crate::regions;

/// A slice of this process: its directory is in use, and removed when the value is dropped.
#[derive(Debug)]
pub struct Run {
    pub(super) dir: PathBuf,
    _lock: File,
}

impl Run {
    /// Makes the directory in `base`, which the caller has locked, with the limits page in place.
    pub(super) fn create(base: &Path, page: &Page) -> Result<Self, RunsError> {
        let dir = base.join(
            unique_name().map_err(|source| RunsError::Io { path: base.to_owned(), source })?.to_string(),
        );
        match fill(&dir, page) {
            Ok(lock) => Ok(Self { dir, _lock: lock }),
            Err(source) => {
                // What was made is worthless, and the next slice removes it if this cannot.
                let _ = fs::remove_dir_all(&dir);
                Err(RunsError::Io { path: dir, source })
            }
        }
    }

    /// The directory of the limits page, for the environment of the command.
    #[must_use]
    pub fn limits_dir(&self) -> PathBuf {
        self.dir.join(paths::RUN_LIMITS_DIR)
    }

    /// The accounting region's path, for the environment of the command. The first process that needs it makes it.
    #[must_use]
    pub fn region(&self) -> PathBuf {
        self.dir.join(paths::RUN_REGION)
    }
}

impl Run {
    /// Notes the GPUs of the slice for whoever shows it: the page names them by UUID alone.
    ///
    /// # Errors
    /// [`RunsError`] when the file cannot be written.
    pub fn note_gpus(&self, gpus: &[&Gpu]) -> Result<(), RunsError> {
        let path = self.dir.join(paths::RUN_GPUS);
        let written =
            private_file(&path).and_then(|mut file| file.write_all(gpu_list::encode(gpus).as_bytes()));
        written.map_err(|source| RunsError::Io { path, source })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A command that outlives its supervisor still counts: the next slice removes the directory when it has ended.
        if !region_in_use(&self.dir) {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

fn unique_name() -> io::Result<RunName> {
    let mut random = [0; 8];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(RunName { pid: std::process::id(), random: u64::from_ne_bytes(random) })
}

/// Makes directory and files, and returns the lock, held.
fn fill(dir: &Path, page: &Page) -> io::Result<File> {
    let limits = dir.join(paths::RUN_LIMITS_DIR);
    DirBuilder::new().mode(PRIVATE).create(dir)?;
    let lock = private_file(&dir.join(paths::RUN_LOCK))?;
    lock.lock()?;
    DirBuilder::new().mode(PRIVATE).create(&limits)?;
    private_file(&paths::limits_file(&limits))?.write_all(&page.encode())?;
    Ok(lock)
}

fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Whether the slice in `dir` is in use: only a lock that can be taken says that it is not.
pub(super) fn is_live(dir: &Path) -> bool {
    is_supervised(dir) || region_in_use(dir)
}

/// Whether who started the slice in `dir` still runs: only a lock that can be taken says that he does not.
pub(super) fn is_supervised(dir: &Path) -> bool {
    match plain::open(&dir.join(paths::RUN_LOCK)) {
        Ok(lock) => matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Whether a process holds a slot of the region in `dir`. What is no region is nobody's.
fn region_in_use(dir: &Path) -> bool {
    regions::is_in_use(&dir.join(paths::RUN_REGION)).unwrap_or(false)
}
