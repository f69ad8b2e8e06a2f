//! The product laid out as it is used and shipped; the command line tool, the tests and the bundles rely on it.
//!
//! ```text
//! bin/vgpu   bin/vgpu-node-agent   bin/vgpu-scheduler-extender   bin/vgpu-sim-kernel   bin/<test programs>
//! lib/libvgpu.so
//! sim/<profile>/libcuda.so.1   sim/<profile>/libnvidia-ml.so.1   (and the same names without .1)
//! ```

mod build;
mod layout;

use crate::lock;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use build::{Builder, Simulated};
use layout::Layout;
use std::path::Path;

/// The simulated driver branches, each of which has both libraries.
const BRANCHES: [&str; 6] = ["470", "535", "550", "570", "580", "615"];

/// Packages whose programs go to `bin/`.
const PROGRAMS: [&str; 7] =
    ["benches", "plugin", "report", "scheduler-ext", "sim-apps", "sim-kernel", "vgpu-cli"];

/// Beginnings of the names of the packages that make the simulated driver's shared objects.
const SIMULATORS: [&str; 2] = ["sim-driver", "sim-nvml"];

/// Builds everything and brings the stage up to date. Prints its directory.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let _lock = lock::hold(&workspace.target().join("stage.lock"))?;
    let builder = Builder::choose();
    let mut layout = Layout::new(workspace.stage());
    layout.put(&builder.library(workspace)?, "lib/libvgpu.so")?;
    for program in builder.programs(workspace, &PROGRAMS)? {
        let name = program.file_name().context("a program without a name")?;
        layout.put(&program, Path::new("bin").join(name))?;
    }
    let simulated = builder.simulator(workspace, &SIMULATORS)?;
    simulator(&simulated, &mut layout)?;
    layout.finish()?;
    complete(&simulated)?;
    println!("{}", workspace.stage().display());
    Ok(())
}

/// Lays out every profile of the simulated driver.
fn simulator(built: &[Simulated], layout: &mut Layout) -> Result<()> {
    for library in built {
        let folder = Path::new("sim").join(&library.profile);
        let file = format!("{}.1", library.name);
        layout.put(&library.file, folder.join(&file))?;
        layout.link(&file, folder.join(library.name))?;
    }
    Ok(())
}

/// Fails when a part of the simulated driver was not among what was built: of a branch, or of the in-process drivers for
/// overhead benches.
fn complete(built: &[Simulated]) -> Result<()> {
    let parts = BRANCHES.iter().flat_map(|branch| [(*branch, "libcuda.so"), (*branch, "libnvidia-ml.so")]);
    let is_built = |part: &(&str, &str)| built.iter().any(|made| (made.profile.as_str(), made.name) == *part);
    match parts.chain(["null", "timed"].map(|profile| (profile, "libcuda.so"))).find(|part| !is_built(part)) {
        Some((profile, name)) => bail!("nothing builds {name} of the simulated driver {profile}"),
        None => Ok(()),
    }
}
