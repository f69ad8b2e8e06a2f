//! The product's images, made of programs that are built here. Nodes are given them: there is no registry.

use super::{stage, workspace};
use crate::cluster::Node;
use crate::image::{image, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The node agent's.
pub const AGENT: &str = "vgpu.test/node-agent";
/// The scheduler extender's.
pub const EXTENDER: &str = "vgpu.test/scheduler-extender";
/// Kubernetes' own scheduler's.
pub const KUBE_SCHEDULER: &str = "vgpu.test/kube-scheduler";
/// Where libraries are in them.
pub const LIBRARIES: &str = "/usr/lib/vgpu";
/// The tag of all of them, unless a test wants several.
pub const TAG: &str = "1";

/// Makes an image of the agent's program and the library.
///
/// # Panics
/// It cannot be made.
pub fn agent(tag: &str, program: &Path, library: &Path) -> PathBuf {
    build(&format!("{AGENT}:{tag}"), "0", program, Some(library))
}

/// Makes an image of the extender's program, and of a library that a test preloads into it from [`LIBRARIES`].
///
/// # Panics
/// It cannot be made.
pub fn extender(program: &Path, library: Option<&Path>) -> PathBuf {
    build(&format!("{EXTENDER}:{TAG}"), "65532", program, library)
}

/// Makes an image of the kube-scheduler that the cluster itself has.
///
/// # Panics
/// It cannot be made.
pub fn kube_scheduler() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("kube-scheduler"));
    let program = found.find(|file| file.is_file()).expect("a cluster's tests have kube-scheduler");
    let root = folder().join("kube-scheduler");
    fs::create_dir_all(root.join("bin")).expect("a folder for an image");
    fs::copy(program, root.join("bin/kube-scheduler")).expect("kube-scheduler cannot be copied");
    image(&format!("{KUBE_SCHEDULER}:{TAG}"), &root, &["kube-scheduler"])
}

/// What `cargo xtask image` has made, if it has, as the chart looks for it: `localhost/PROGRAM`.
pub fn released(program: &str) -> Option<PathBuf> {
    let archive = stage().with_file_name("image").join(format!("{program}.tar"));
    archive.exists().then_some(archive)
}

/// Gives the images of archives to nodes.
///
/// # Panics
/// A container runtime refuses.
pub fn give(archives: &[PathBuf], nodes: &[&str]) {
    for node in nodes {
        archives.iter().for_each(|archive| Node::named(node).import(archive));
    }
}

/// Programs are linked with the C library of this machine.
fn build(name: &str, user: &str, program: &Path, library: Option<&Path>) -> PathBuf {
    let archive = folder().join(format!("{}.tar", name.replace(['/', ':'], "-")));
    let mut build = Command::new(workspace().join("ci/image/build"));
    run(build.arg(&archive).args([name, user, "/"]).arg(program).args(library));
    archive
}

fn folder() -> PathBuf {
    let folder = stage().with_file_name("kube-images");
    fs::create_dir_all(&folder).expect("a folder for images");
    folder
}
