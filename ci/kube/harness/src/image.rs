//! Images made here: there is no registry.

use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packs a directory as an image, such as `vgpu.test/agent:1`, which runs `command`, and returns the archive, beside the
/// directory. [`Node::import`](crate::Node::import) gives it to a node; pods name it with `imagePullPolicy: Never`.
///
/// # Panics
/// The directory cannot be packed.
pub fn image(name: &str, directory: &Path, command: &[&str]) -> PathBuf {
    let archive = directory.with_extension("tar");
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../images/pack");
    run(Command::new(pack).arg(&archive).arg(directory).arg(name).arg(json!(command).to_string()));
    archive
}

/// Makes the images of an archive known to the container runtime behind `socket`.
pub(crate) fn import(archive: &Path, socket: &Path) {
    run(Command::new("ctr")
        .arg("--address")
        .arg(socket)
        .args(["--namespace", "k8s.io", "images", "import"])
        .arg(archive));
}

/// Runs it to its end.
pub(crate) fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
