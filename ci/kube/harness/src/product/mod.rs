//! What a test of our own product on the cluster works with: the chart, images made of what was built, simulated cards in the
//! nodes, and pods that ask for slices of them. Most of it needs the stage.

pub mod agent;
pub mod audit;
pub mod chart;
pub mod forger;
pub mod image;
pub mod installation;
pub mod machine;
pub mod process;
pub mod tenant;

mod spec;

use std::path::{Path, PathBuf};

/// Where everything is laid out as it is shipped.
///
/// # Panics
/// It is not there.
pub fn stage() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    let stage = target.join("stage");
    assert!(stage.join("lib/libvgpu.so").exists(), "{} is not there: cargo xtask stage", stage.display());
    stage
}

/// The checkout.
///
/// # Panics
/// The package is not where it was built.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("the workspace")
}
