//! Where the directory of running slices is, and that it is private.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use contract::paths;

/// Permission bits of a directory that only its owner may use.
pub(super) const PRIVATE: u32 = 0o700;

/// The directory for user `uid`.
pub(super) fn choose(runtime_dir: Option<&Path>, uid: u32) -> PathBuf {
    let usable = |dir: &&Path| {
        dir.is_absolute()
            && fs::metadata(dir).is_ok_and(|dir| is_own_dir(&dir, uid) && dir.mode() & 0o022 == 0)
    };
    match runtime_dir.filter(usable) {
        Some(dir) => dir.join(paths::RUNS_DIR),
        None => paths::fallback_runs_dir(uid),
    }
}

/// The directories that user `uid` may have: other sessions of his may have no runtime directory, or another one.
pub(super) fn all(runtime_dir: Option<&Path>, uid: u32) -> Vec<PathBuf> {
    let mut dirs = vec![choose(runtime_dir, uid), paths::fallback_runs_dir(uid)];
    dirs.dedup();
    dirs
}

/// Makes `dir`, or checks that the one that is there is a directory of `uid` and of nobody else.
///
/// In `/dev/shm` anybody could have made it first: its limits pages and regions would be theirs to write.
pub(super) fn make_private(dir: &Path, uid: u32) -> Result<(), RunsError> {
    let error = |source| RunsError::Io { path: dir.to_owned(), source };
    match DirBuilder::new().mode(PRIVATE).create(dir) {
        Ok(()) => Ok(()),
        Err(there) if there.kind() == io::ErrorKind::AlreadyExists => is_private(dir, uid),
        Err(other) => Err(error(other)),
    }
}

/// Whether `dir` is a directory of `uid` and of nobody else.
pub(super) fn is_private(dir: &Path, uid: u32) -> Result<(), RunsError> {
    let found = fs::symlink_metadata(dir).map_err(|source| RunsError::Io { path: dir.to_owned(), source })?;
    let private = is_own_dir(&found, uid) && found.mode() & 0o077 == 0;
    if private { Ok(()) } else { Err(RunsError::NotPrivate { path: dir.to_owned() }) }
}

fn is_own_dir(found: &Metadata, uid: u32) -> bool {
    found.is_dir() && found.uid() == uid
}

/// The directory of running slices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// Something else is in its place.
    #[error("{} is not a directory that only this user may use; remove it, or set its owner and mode 0700", .path.display())]
    NotPrivate {
        /// Where it should be.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was being made or read.
        path: PathBuf,
        /// Why that failed.
        source: io::Error,
    },
}
