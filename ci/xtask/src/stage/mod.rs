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
use anyhow::{Context, Result, bail};
use layout::Layout;
use std::fs::File;
use std::path::Path;

/// What must be there of the simulated driver: two driver branches, and the in-process driver for overhead benches.
const SIMULATED: [(&str, &str); 5] = [
    ("535", "libcuda.so"),
    ("535", "libnvidia-ml.so"),
    ("550", "libcuda.so"),
    ("550", "libnvidia-ml.so"),
    ("null", "libcuda.so"),
];

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
    simulator(workspace, &mut layout)?;
    layout.finish()?;
    println!("{}", workspace.stage().display());
    Ok(())
}

/// Builds every profile of the simulated driver and lays it out.
fn simulator(workspace: &Workspace, layout: &mut Layout) -> Result<()> {
    let built = build::simulator(workspace)?;
    for (profile, name) in SIMULATED {
        if !built.iter().any(|library| library.profile == profile && library.name == name) {
            bail!("nothing builds {name} of the simulated driver {profile}");
        }
    }
    for library in built {
        let folder = Path::new("sim").join(library.profile);
        let file = format!("{}.1", library.name);
        layout.put(&library.file, folder.join(&file))?;
        layout.link(&file, folder.join(library.name))?;
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
