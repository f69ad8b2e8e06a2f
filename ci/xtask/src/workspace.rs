//! Where things are.

use crate::command::Run;
use crate::metadata::{Metadata, Package};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The platform that is shipped and tested.
pub(crate) const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// This checkout.
pub(crate) struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo about the workspace around the current directory.
    pub(crate) fn load() -> Result<Self> {
        let json =
            Run::cargo("metadata").args(["--format-version=1", "--filter-platform", PLATFORM]).stdout()?;
        let metadata = serde_json::from_str(&json).context("cannot read the answer of `cargo metadata`")?;
        Ok(Self { metadata })
    }

    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The crates of this repository.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.metadata.packages.iter().filter(|package| package.is_ours())
    }

    /// The top of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.metadata.workspace_root
    }

    /// Cargo's target directory.
    pub(crate) fn target(&self) -> &Path {
        &self.metadata.target_directory
    }

    /// The staged product: `bin/`, `lib/`, `sim/`.
    pub(crate) fn stage(&self) -> PathBuf {
        self.target().join("stage")
    }

    /// The staged preload library.
    pub(crate) fn library(&self) -> PathBuf {
        self.stage().join("lib/libvgpu.so")
    }

    /// What git tracks or would track, relative to [`root`](Self::root), without what the working tree lacks.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let list = Run::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .dir(self.root())
            .stdout()?;
        let names = list.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from);
        Ok(names.filter(|name| self.root().join(name).is_file()).collect())
    }
}
