//! The node agent's image, as it is shipped: `ci/image/build` makes it of the stage and of Debian's C library.

use crate::command::Run;
use crate::stage;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;

/// The release of Debian whose C library is in the image, and the packages that have it. What is newest there is taken, because of
/// its security fixes.
const RELEASE: &str = "bookworm";
const PACKAGES: [&str; 2] = ["libc6", "libgcc-s1"];

/// What the chart looks for unless it is told otherwise.
const REPOSITORY: &str = "localhost/vgpu-node-agent";

/// Stages the product, makes the image and prints where it is.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    let folder = workspace.target().join("image");
    let system = folder.join("system");
    if system.exists() {
        fs::remove_dir_all(&system).with_context(|| format!("cannot remove {}", system.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Run::new(workspace.root().join("ci/clients/unpack-debian"))
        .arg(RELEASE)
        .arg(&system)
        .args(PACKAGES)
        .run()?;
    let archive = folder.join("vgpu-node-agent.tar");
    Run::new(workspace.root().join("ci/image/build"))
        .arg(&archive)
        .arg(format!("{REPOSITORY}:{}", env!("CARGO_PKG_VERSION")))
        .arg(workspace.stage().join("bin/vgpu-node-agent"))
        .arg(workspace.library())
        .arg(&system)
        .run()?;
    println!("{}", archive.display());
    Ok(())
}
