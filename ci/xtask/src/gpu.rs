//! The check for real cards, rehearsed on the simulated one: as a bundle, in a bare directory, with an empty environment, so
//! that its first run on a card fails for no silly reason.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Simulated drivers that it runs on.
const PROFILES: [&str; 2] = ["535", "550"];

/// The directory in the archive that `ci/gpu/build` makes.
const BUNDLE: &str = "vgpu-gpu-check";

/// Tests the check itself, makes a bundle of the staged files and runs it.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let scripts = workspace.root().join("ci/gpu");
    // -B: no compiled files between the sources.
    Run::new("python3")
        .args(["-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."])
        .env("VGPU_STAGE", workspace.stage())
        .dir(&scripts)
        .run()?;
    let results = workspace.target().join("gpu-check");
    fs::create_dir_all(&results).with_context(|| format!("cannot make {}", results.display()))?;
    let archive = results.join("bundle.tar.gz");
    Run::new(scripts.join("build")).arg("--stage").arg(workspace.stage()).arg(&archive).run()?;
    let bare = BareDirectory::new()?;
    Run::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&bare.path).run()?;
    for profile in PROFILES {
        rehearse(&bare.path, &results.join(profile), profile)?;
    }
    Ok(())
}

/// Runs the unpacked bundle in `bare`, without any variable of the environment but where the results go.
fn rehearse(bare: &Path, results: &Path, profile: &str) -> Result<()> {
    Run::new("env")
        .arg("-i")
        .arg(format!("OUT={}", results.display()))
        .args(["python3", &format!("{BUNDLE}/check"), &format!("--sim={profile}")])
        .dir(bare)
        .run()
}

/// A new directory outside of the repository, removed in the end.
struct BareDirectory {
    path: PathBuf,
}

impl BareDirectory {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("vgpu-gpu-check-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for BareDirectory {
    fn drop(&mut self) {
        // What cannot be removed from the directory for temporary files does no harm there.
        let _ = fs::remove_dir_all(&self.path);
    }
}
