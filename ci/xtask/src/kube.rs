//! A real Kubernetes on this machine, and what is tested on it: `ci/kube`.

use crate::command::{self, Run};
use crate::stage;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What may be said to it.
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("test [ARGUMENT OF cargo test]...", "runs the tests, on the cluster that is up or on some of their own"),
    ("rate [--quick | [--nodes N] [--pods N]]", "measures how fast pods are placed, on a cluster of its own"),
    ("up [--nodes 1|2]", "starts a cluster"),
    (
        "install [--values FILE]",
        "builds the product and installs it on the cluster that is up, with simulated GPUs",
    ),
    ("kubectl ARGUMENT...", "kubectl, on the cluster that is up"),
    ("vgpu ARGUMENT...", "vgpu, on the cluster that is up: `nodes`, `explain POD`"),
    ("enter [PROGRAM ARGUMENT...]", "a program, or a shell, in the cluster's namespaces"),
    ("down", "ends the cluster; what its services said stays"),
    ("programs [helm]", "fetches and builds what a cluster consists of, as the others do when it is missing"),
];

/// Hands everything on to `vgpu-kube`, with this checkout's folder for a cluster, when what that needs is there.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    match arguments {
        [command, flags @ ..] if command == "install" => stage_for_install(workspace, flags)?,
        [command, ..] if command == "vgpu" && !workspace.stage().join("bin/vgpu").exists() => {
            bail!("kube vgpu: nothing is built yet; `cargo xtask kube install` builds and installs it")
        }
        _ => {}
    }
    hand_on(workspace, arguments)
}

/// Builds what is installed. Who asks for something that cannot be is told so before that.
fn stage_for_install(workspace: &Workspace, flags: &[String]) -> Result<()> {
    match flags {
        [] => {}
        [flag, file] if flag == "--values" => {
            let is_there = workspace.root().join(file).is_file();
            ensure!(is_there, "kube install: no file {file} in {}", workspace.root().display());
        }
        _ => bail!("kube install: no arguments `{}`; it accepts --values FILE", flags.join(" ")),
    }
    let answer = program(workspace)?.args(["enter", "true"]).status().context("cannot start vgpu-kube")?;
    ensure!(answer.success(), "kube install: there is no cluster to install it on");
    stage::run(workspace, &[])
}

fn hand_on(workspace: &Workspace, arguments: &[String]) -> Result<()> {
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
    // Behind all else: it has programs with common names.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([workspace.stage().join("bin")]);
    program.env("PATH", std::env::join_paths(folders).context("cannot extend PATH")?);
    Ok(program)
}
