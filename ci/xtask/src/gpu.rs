//! The check for real cards, rehearsed on the simulated one: as a bundle, in a bare directory, with an empty environment, so
//! that its first run on a card fails for no silly reason.

use crate::clients::Clients;
use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The simulated driver on which every step runs.
const WHOLE: &str = "550";

/// Those on which the steps run that depend on the driver most.
const OTHERS: [&str; 5] = ["470", "535", "570", "580", "615"];

/// Those steps. Facts are among them because each calls what a driver may not have.
const STEPS: [&str; 19] = [
    "environment",
    "product",
    "conformance",
    "lookups",
    "limit",
    "killed",
    "kinds",
    "malformed",
    "ipc",
    "selection",
    "fact_context",
    "fact_nvml",
    "fact_pools",
    "fact_graphs",
    "fact_local_memory",
    "fact_reset",
    "fact_launches",
    "fact_pitch",
    "fact_kernel_limits",
];

/// Steps for programs that a bare machine does not have, and the versions of nvidia-smi that can be had.
const GUESTS: [&str; 2] = ["smi", "nvidia_ml_py"];
const NVIDIA_SMI: [&str; 2] = ["535", "550"];

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
    let bundle = Unpacked { bare: &bare.path, results: &results };
    bundle.rehearse(Path::new("python3"), WHOLE, WHOLE, &[], None)?;
    for profile in OTHERS {
        bundle.rehearse(Path::new("python3"), profile, profile, &STEPS, None)?;
    }
    let clients = Clients::prepare(workspace)?;
    if let Some(python) = clients.python() {
        for profile in NVIDIA_SMI {
            let programs = clients.nvidia_smi(profile);
            bundle.rehearse(&python, profile, &format!("{profile}-clients"), &GUESTS, Some(&programs))?;
        }
    }
    Ok(())
}

/// A bundle in a bare directory, and where results go.
struct Unpacked<'a> {
    bare: &'a Path,
    results: &'a Path,
}

impl Unpacked<'_> {
    /// Runs steps of it, or all when none is named, on a simulated driver, without any variable of the environment but where
    /// the results go and, if there are any, where `programs` are.
    fn rehearse(
        &self,
        python: &Path,
        profile: &str,
        name: &str,
        steps: &[&str],
        programs: Option<&Path>,
    ) -> Result<()> {
        let mut run = Run::new("env").arg("-i").arg(format!("OUT={}", self.results.join(name).display()));
        if let Some(programs) = programs {
            run = run.arg(format!("PATH={}", programs.display()));
        }
        run.arg(python)
            .args([&format!("{BUNDLE}/check"), &format!("--sim={profile}")])
            .args(steps)
            .dir(self.bare)
            .run()
    }
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
