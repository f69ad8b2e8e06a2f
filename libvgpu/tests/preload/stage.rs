//! The staged files.

use std::path::{Path, PathBuf};

/// The preload library under test.
pub(crate) fn library() -> PathBuf {
    file("lib/libvgpu.so")
}

/// A file of the stage.
///
/// # Panics
/// When it is not there.
pub(crate) fn file(place: &str) -> PathBuf {
    let path = directory().join(place);
    assert!(
        path.exists(),
        "{} is missing; `cargo xtask stage` builds the stage, and VGPU_STAGE names another one",
        path.display()
    );
    path
}

fn directory() -> PathBuf {
    std::env::var_os("VGPU_STAGE").map_or_else(beside_the_target, PathBuf::from)
}

/// Cargo's directory for files of tests lies in the target directory.
fn beside_the_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stage")
}
