//! The agent's image, made of what is built here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::machine;

/// Where the image is named to be from.
pub(crate) const REPOSITORY: &str = "vgpu.test/node-agent";
/// The image with the library that is built here.
pub(crate) const TAG: &str = "1";

/// Gives the node the image [`TAG`], unless this process has done so.
pub(crate) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| make(TAG, &machine::stage().join("lib/libvgpu.so")));
}

/// Gives the node an image with the agent of this build and with this library.
pub(crate) fn make(tag: &str, library: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci/image/build");
    let archive = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("node-agent-{tag}.tar"));
    let mut build = Command::new(script);
    build.arg(&archive).arg(format!("{REPOSITORY}:{tag}")).arg(env!("CARGO_BIN_EXE_vgpu-node-agent"));
    // It is linked with the C library of this machine.
    run(build.arg(library).arg("/"));
    import(&archive);
}

/// Where the chart looks for the image as it is released.
pub(crate) const RELEASED: &str = "localhost/vgpu-node-agent";

/// What `cargo xtask image` has made, if it has.
pub(crate) fn released() -> Option<PathBuf> {
    let archive = machine::stage().with_file_name("image").join("vgpu-node-agent.tar");
    archive.exists().then_some(archive)
}

/// Gives the node the images of an archive.
pub(crate) fn import(archive: &Path) {
    run(Command::new("ctr").args(["--namespace", "k8s.io", "images", "import"]).arg(archive));
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
