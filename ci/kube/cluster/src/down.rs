//! Ending a cluster.

use crate::folder::Folder;
use crate::{cgroups, namespaces};
use anyhow::{Context, Result};
use std::fs;

/// Ends a cluster, also one that is half up or half down, and removes all of it but the logs. Mounts, network and processes go
/// with the namespaces.
///
/// # Errors
/// Something cannot be ended or removed.
pub fn down(folder: &Folder) -> Result<()> {
    namespaces::end(folder)?;
    cgroups::remove(folder)?;
    let state = folder.state();
    if state.exists() {
        fs::remove_dir_all(&state).with_context(|| format!("cannot remove {}", state.display()))?;
    }
    Ok(())
}
