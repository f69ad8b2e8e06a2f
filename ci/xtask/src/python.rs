//! Private Python environments, that no other project sees.

use crate::command::Run;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

const HINT: &str = "this needs Python 3 with venv and pip (Debian, Ubuntu: python3-venv)";

/// A Python environment with packages of its own.
pub(crate) struct Environment {
    directory: PathBuf,
}

impl Environment {
    /// Finds the environment in `directory`, or makes it anew when it is not what `recipe`, a text, describes. `packages`
    /// are arguments of `pip install`.
    ///
    /// # Errors
    /// No `python3` with `venv`, or a package that cannot be had.
    pub(crate) fn ready<S: AsRef<OsStr>>(
        directory: PathBuf,
        recipe: &str,
        packages: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        let environment = Self { directory };
        let stamp = environment.directory.join("wheels");
        if fs::read_to_string(&stamp).is_ok_and(|made| made == recipe) && environment.python().exists() {
            return Ok(environment);
        }
        Run::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&environment.directory)
            .run()
            .context(HINT)?;
        environment.install(None, packages)?;
        fs::write(&stamp, recipe).with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(environment)
    }

    /// Installs packages, into another directory when one is given.
    pub(crate) fn install<S: AsRef<OsStr>>(
        &self,
        target: Option<&Path>,
        packages: impl IntoIterator<Item = S>,
    ) -> Result<()> {
        let mut pip = Run::new(self.python()).args(["-m", "pip", "install", "--quiet"]);
        if let Some(target) = target {
            pip = pip.arg("--target").arg(target);
        }
        pip.args(packages).run().context(HINT)
    }

    /// The environment's interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.bin().join("python3")
    }

    /// The environment's programs.
    pub(crate) fn bin(&self) -> PathBuf {
        self.directory.join("bin")
    }
}
