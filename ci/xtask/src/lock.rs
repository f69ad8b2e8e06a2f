//! One at a time: what several runs of xtask share.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::path::Path;

/// Waits until nobody else holds the lock of this file; it is ours until the answer is dropped.
///
/// # Errors
/// The file cannot be made or locked.
pub(crate) fn hold(path: &Path) -> Result<File> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}
