//! Slices of `vgpu run`, which have what no variable can say: a priority, and limits that change.

use super::{Setting, Subject};
use crate::running::Running;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::process::Command;

/// A slice of `vgpu run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Managed {
    /// Percent of the device's time.
    pub cores: u32,
    /// Whether its priority is the high one.
    pub is_high: bool,
}

impl Subject {
    /// The words in front of a program in `setting`.
    pub(super) fn manager(&self, setting: Setting) -> Result<Vec<OsString>> {
        let Setting::Managed(Managed { cores, is_high }) = setting else { return Ok(Vec::new()) };
        if self.interposer.library.is_none() {
            return Ok(Vec::new());
        }
        let priority = if is_high { "high" } else { "low" };
        let options =
            ["run", "--cores", &cores.to_string(), "--priority", priority, "--"].map(OsString::from);
        Ok([self.vgpu()?].into_iter().chain(options).collect())
    }

    /// Has a slice of `vgpu run` have another share from now on.
    ///
    /// # Errors
    /// There is no such command, or it failed.
    pub fn change(&self, slice: &Running, cores: u32) -> Result<()> {
        let mut command = Command::new(self.vgpu()?);
        command.args(["limits", &slice.id().to_string(), "--cores", &cores.to_string()]);
        command.env("XDG_RUNTIME_DIR", &self.scene.accounts);
        self.reach_driver(&mut command, "550");
        let output = command.output().context("vgpu limits")?;
        ensure!(output.status.success(), "vgpu limits: {}", String::from_utf8_lossy(&output.stderr).trim());
        Ok(())
    }

    /// The command of this interposer.
    fn vgpu(&self) -> Result<OsString> {
        let command = self.interposer.manager.as_ref();
        Ok(command.context("this report knows no command of it that does so")?.into())
    }
}
