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

/// Builds the shared objects of the simulated driver: each with its profile and the name that programs load it by.
///
/// There is one package a profile and library, called `sim-driver-<profile>` and `sim-nvml-<profile>`.
pub(super) fn simulator(workspace: &Workspace) -> Result<Vec<Simulated>> {
    let packages: Vec<_> =
        workspace.crates().filter_map(|package| Some((package, loaded_as(&package.name)?))).collect();
    let names = packages.iter().flat_map(|(package, _)| ["--package", &package.name]);
    let built = artefacts(workspace, Run::cargo("build").args(["--release", "--lib"]).args(names))?;
    let shared_object = |id: &str| {
        let files = built
            .iter()
            .filter(|artefact| artefact.package_id == id)
            .flat_map(|artefact| &artefact.filenames);
        files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "so")).cloned()
    };
    let simulated = packages.iter().map(|(package, (profile, name))| {
        let file =
            shared_object(&package.id).with_context(|| format!("{} made no shared object", package.name))?;
        Ok(Simulated { profile: (*profile).to_owned(), name, file })
    });
    simulated.collect()
}

/// One shared object of the simulated driver.
pub(super) struct Simulated {
    pub(super) profile: String,
    /// The name that the linker knows; programs load it with `.1` behind.
    pub(super) name: &'static str,
    pub(super) file: PathBuf,
}

/// Profile and library of a package, where it is one of the simulated driver's.
fn loaded_as(package: &str) -> Option<(&str, &'static str)> {
    let driver = package.strip_prefix("sim-driver-").map(|profile| (profile, "libcuda.so"));
    driver.or_else(|| package.strip_prefix("sim-nvml-").map(|profile| (profile, "libnvidia-ml.so")))
}

/// What cargo says of a file it made.
#[derive(Deserialize)]
struct Artefact {
    reason: String,
    #[serde(default)]
    package_id: String,
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
