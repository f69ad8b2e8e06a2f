//! The agent's image, made of what is built here.

use std::path::Path;
use std::sync::OnceLock;

use kube_harness::product::{image, stage};

use crate::agent::NODE;

/// The image with the library that is built here.
pub(crate) const TAG: &str = image::TAG;

/// Gives the node the image [`TAG`], unless this process has done so.
pub(crate) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| make(TAG, &stage().join("lib/libvgpu.so")));
}

/// Gives the node an image with the agent of this build and with this library.
pub(crate) fn make(tag: &str, library: &Path) {
    let archive = image::agent(tag, Path::new(env!("CARGO_BIN_EXE_vgpu-node-agent")), library);
    image::give(&[archive], &[NODE]);
}
