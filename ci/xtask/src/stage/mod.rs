//! The product laid out as it is used and shipped; the command line tool, the tests and the bundles rely on it.
//!
//! ```text
//! bin/vgpu   bin/vgpu-sim-kernel   bin/<test programs>
//! lib/libvgpu.so
//! sim/<profile>/libcuda.so.1   sim/<profile>/libnvidia-ml.so.1   (and the same names without .1)
//! ```

mod build;
mod layout;

use crate::workspace::Workspace;
use anyhow::{Context, Result};
use layout::Layout;
use std::fs::File;
use std::path::Path;

/// The driver branches that are simulated, and the in-process driver for overhead benches.
const PROFILES: [&str; 3] = ["535", "550", "null"];

/// Packages whose programs go to `bin/`.
const PROGRAMS: [&str; 3] = ["vgpu-cli", "sim-kernel", "sim-apps"];

/// Builds everything and brings the stage up to date. Prints its directory.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let _lock = lock(&workspace.target().join("stage.lock"))?;
    let mut layout = Layout::new(workspace.stage());
    layout.put(&build::library(workspace)?, "lib/libvgpu.so")?;
    for program in build::programs(workspace, &PROGRAMS)? {
        let name = program.file_name().context("a program without a name")?;
        layout.put(&program, Path::new("bin").join(name))?;
    }
    for profile in PROFILES {
        simulator(workspace, &mut layout, profile)?;
    }
    layout.finish()?;
    println!("{}", workspace.stage().display());
    Ok(())
}

/// Builds one profile of the simulator and lays it out. The profiles share file names in cargo's directory, so each is
/// copied before the next is built.
fn simulator(workspace: &Workspace, layout: &mut Layout, profile: &str) -> Result<()> {
    let folder = Path::new("sim").join(profile);
    for (built, name) in build::simulator(workspace, profile)? {
        layout.put(&built, folder.join(format!("{name}.1")))?;
        layout.link(&format!("{name}.1"), folder.join(name))?;
    }
    Ok(())
}

/// Waits until nobody else stages into the same directory.
fn lock(path: &Path) -> Result<File> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}
