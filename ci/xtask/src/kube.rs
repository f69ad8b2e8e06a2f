//! A real Kubernetes on this machine, and what is tested on it: `ci/kube`.

use crate::command::{self, Run};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};

/// What may be said to it.
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("test [ARGUMENT OF cargo test]...", "runs the tests, on the cluster that is up or on some of their own"),
    ("up [--nodes 1|2]", "starts a cluster"),
    ("kubectl ARGUMENT...", "kubectl, on the cluster that is up"),
    ("enter [PROGRAM ARGUMENT...]", "a program, or a shell, in the cluster's namespaces"),
    ("down", "ends the cluster; what its services said stays"),
    ("programs", "fetches and builds what a cluster consists of, as the others do when it is missing"),
];

/// Hands everything on to `vgpu-kube`, with this checkout's folder for a cluster.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    Run::cargo("build").args(["--quiet", "--package", "kube-cluster"]).dir(workspace.root()).run()?;
    let status = command::unnamed(workspace.target().join("debug/vgpu-kube"))
        .arg(workspace.target().join("kube"))
        .args(arguments)
        .current_dir(workspace.root())
        .status()
        .context("cannot start vgpu-kube")?;
    if !status.success() {
        bail!("kube {}: {status}", arguments.join(" "));
    }
    Ok(())
}
