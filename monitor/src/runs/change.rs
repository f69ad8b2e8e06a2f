//! Changing the limits of a running slice.

use std::path::{Path, PathBuf};

use contract::limits_page::{Page, PageError};
use contract::paths::RunName;
use shared_region::{LimitsFile, LimitsFileError};

use super::{Runs, RunsError, limits_file, run};

/// Makes the limits of this user's running slice `name` what `change` makes of them, in force at the next call of each of its
/// processes; the limits as they are then.
///
/// `runtime_dir` is `$XDG_RUNTIME_DIR`.
///
/// # Errors
/// [`ChangeError`]: nothing has changed.
pub fn change_limits(
    runtime_dir: Option<&Path>,
    name: RunName,
    change: impl FnOnce(&Page) -> Result<Page, PageError>,
) -> Result<Page, ChangeError> {
    let runs = Runs::existing(runtime_dir).into_iter().flatten();
    for runs in runs {
        if runs.has(name) {
            let dir = runs.dir.join(name.to_string());
            // While it is held, nobody removes the slice.
            let _exclusive =
                runs.lock().map_err(|source| RunsError::Io { path: runs.dir.clone(), source })?;
            return if run::is_live(&dir) { in_dir(&dir, change) } else { Err(ChangeError::Ended) };
        }
    }
    Err(ChangeError::Unknown)
}

fn in_dir(dir: &Path, change: impl FnOnce(&Page) -> Result<Page, PageError>) -> Result<Page, ChangeError> {
    let path = limits_file(dir);
    let changed = LimitsFile::open(&path).and_then(|mut file| {
        let next = change(&file.page()?).map_err(LimitsFileError::Page)?;
        file.replace(&next)?;
        file.page()
    });
    changed.map_err(|source| ChangeError::File { path, source })
}

/// Why the limits of a slice cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// This user has no slice of this name.
    #[error("there is no such slice")]
    Unknown,
    /// All its processes have ended.
    #[error("it has ended")]
    Ended,
    /// The directory of running slices cannot be used.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// Its limits page cannot be changed.
    #[error("limits page {}: {source}", .path.display())]
    File {
        /// The page.
        path: PathBuf,
        /// Why not.
        source: LimitsFileError,
    },
}
