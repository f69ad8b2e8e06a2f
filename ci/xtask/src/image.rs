//! The images as they are shipped, of the node agent and of the scheduler extender: `ci/image/build` makes them of the stage and of
//! Debian's C library.

use crate::command::Run;
use crate::stage;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The release of Debian whose C library is in the images, and the packages that have it. What is newest there is taken, because of
/// its security fixes.
const RELEASE: &str = "bookworm";
const PACKAGES: [&str; 2] = ["libc6", "libgcc-s1"];

/// Under this name the chart looks for them unless it is told otherwise, with the program's name behind it.
const REPOSITORY: &str = "localhost";

/// A program that is shipped as an image.
struct Image {
    program: &'static str,
    /// As whom it runs, unless the pod says otherwise.
    user: &'static str,
    /// Whether the preload library is in it.
    has_library: bool,
}

const IMAGES: [Image; 2] = [
    Image { program: "vgpu-node-agent", user: "0", has_library: true },
    Image { program: "vgpu-scheduler-extender", user: "65532", has_library: false },
];

/// Stages the product, makes the images and prints where they are.
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
    IMAGES.iter().try_for_each(|image| image.make(workspace, &folder, &system))
}

impl Image {
    fn make(&self, workspace: &Workspace, folder: &Path, system: &Path) -> Result<()> {
        let archive = folder.join(format!("{}.tar", self.program));
        let mut build = Run::new(workspace.root().join("ci/image/build"))
            .arg(&archive)
            .arg(format!("{REPOSITORY}/{}:{}", self.program, env!("CARGO_PKG_VERSION")))
            .arg(self.user)
            .arg(system)
            .arg(workspace.stage().join("bin").join(self.program));
        if self.has_library {
            build = build.arg(workspace.library());
        }
        build.run()?;
        println!("{}", archive.display());
        Ok(())
    }
}
