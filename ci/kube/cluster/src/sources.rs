//! The files of `ci/kube` that are read when a cluster starts.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of `ci/kube`.
pub(crate) fn path(name: &str) -> PathBuf {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
    ours.parent().unwrap_or(ours).join(name)
}

/// Its text.
pub(crate) fn read(name: &str) -> Result<String> {
    let path = path(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}
