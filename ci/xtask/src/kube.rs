//! A real Kubernetes on this machine, and what is tested on it: `ci/kube`.

use crate::command::{self, Run};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What may be said to it.
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("test [ARGUMENT OF cargo test]...", "runs the tests, on the cluster that is up or on some of their own"),
    ("rate [--quick | [--nodes N] [--pods N]]", "measures how fast pods are placed, on a cluster of its own"),
    ("up [--nodes 1|2]", "starts a cluster"),
    ("kubectl ARGUMENT...", "kubectl, on the cluster that is up"),
    ("enter [PROGRAM ARGUMENT...]", "a program, or a shell, in the cluster's namespaces"),
    ("down", "ends the cluster; what its services said stays"),
    ("programs [helm]", "fetches and builds what a cluster consists of, as the others do when it is missing"),
];

/// Hands everything on to `vgpu-kube`, with this checkout's folder for a cluster.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let status = program(workspace)?.args(arguments).status().context("cannot start vgpu-kube")?;
    if !status.success() {
        bail!("kube {}: {status}", arguments.join(" "));
    }
    Ok(())
}

/// Helm, which is one of the programs that a cluster has.
pub(crate) fn helm(workspace: &Workspace) -> Result<PathBuf> {
    let mut program = program(workspace)?;
    let output = program.args(["programs", "helm"]).stderr(Stdio::inherit()).output();
    let output = output.context("cannot start vgpu-kube")?;
    if !output.status.success() {
        bail!("there is no helm: {}", output.status);
    }
    let path = String::from_utf8(output.stdout).context("where helm is")?;
    Ok(PathBuf::from(path.trim_end()))
}

fn program(workspace: &Workspace) -> Result<Command> {
    Run::cargo("build").args(["--quiet", "--package", "kube-cluster"]).dir(workspace.root()).run()?;
    let mut program = command::unnamed(workspace.target().join("debug/vgpu-kube"));
    program.arg(workspace.target().join("kube")).current_dir(workspace.root());
    Ok(program)
}
