//! Tools that come as Python wheels, in a private environment that no other project sees.

use crate::python::Environment;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// The environment's packages. Pinned: what CI built yesterday is what it builds tomorrow.
const WHEELS: &[&str] = &[
    // Links against a chosen old glibc, and so makes the library that loads everywhere.
    "cargo-zigbuild==0.24.1",
    "ziglang==0.17.1",
    // The official Python client of NVML, the demo's first program.
    "nvidia-ml-py==13.615.71",
];

/// A Python environment with [`WHEELS`].
pub(crate) struct Tools(Environment);

impl Tools {
    /// Finds the environment, or makes it.
    ///
    /// # Errors
    /// No `python3` with `venv`, or no package index in reach.
    pub(crate) fn ready() -> Result<Self> {
        Environment::ready(cache_directory()?.join("tools"), &WHEELS.join("\n"), WHEELS).map(Self)
    }

    /// The environment's interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.0.python()
    }

    /// `PATH` with the environment's programs first.
    pub(crate) fn path(&self) -> Result<std::ffi::OsString> {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let directories = std::iter::once(self.0.bin()).chain(std::env::split_paths(&inherited));
        std::env::join_paths(directories).context("cannot extend PATH")
    }
}

/// `$XDG_CACHE_HOME/vgpu`, made when missing.
pub(crate) fn cache_directory() -> Result<PathBuf> {
    let base = match (std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME")) {
        (Some(cache), _) if !cache.is_empty() => PathBuf::from(cache),
        (_, Some(home)) => PathBuf::from(home).join(".cache"),
        _ => std::env::temp_dir(),
    };
    let directory = base.join("vgpu");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    Ok(directory)
}
