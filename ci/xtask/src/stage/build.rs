//! Building the pieces of the stage.

use crate::command::Run;
use crate::tools::Tools;
use crate::workspace::{PLATFORM, Workspace};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;

/// The glibc that everything is linked against: the oldest that a supported driver meets.
const GLIBC: &str = "2.17";

/// How to build: as it is shipped, so that every test runs on the real artefact, or with this machine's linker.
pub(super) enum Builder {
    /// Zig links against [`GLIBC`]; this is the `PATH` with it.
    Release(OsString),
    /// No tools for a release.
    Plain,
}

impl Builder {
    /// The release's when its tools are there or can be had.
    pub(super) fn choose() -> Self {
        match Tools::ready().and_then(|tools| tools.path()) {
            Ok(path) => {
                eprintln!("stage: linked by zig against glibc {GLIBC}, as released");
                Self::Release(path)
            }
            Err(error) => {
                eprintln!("stage: linked against this machine's glibc, not as released: {error:#}");
                Self::Plain
            }
        }
    }

    fn cargo(&self) -> Run {
        match self {
            Self::Release(path) => {
                Run::cargo("zigbuild").args(["--target", &format!("{PLATFORM}.{GLIBC}")]).env("PATH", path)
            }
            Self::Plain => Run::cargo("build"),
        }
    }

    /// Builds the preload library.
    pub(super) fn library(&self, workspace: &Workspace) -> Result<PathBuf> {
        let build = self.cargo().args(["--profile", "preload", "--package", "libvgpu", "--lib"]);
        let built = artefacts(workspace, build)?;
        let library = built.iter().find_map(|artefact| artefact.file("libvgpu.so"));
        library.context("cargo did not build libvgpu.so")
    }

    /// Builds the programs of `packages`.
    pub(super) fn programs(&self, workspace: &Workspace, packages: &[&str]) -> Result<Vec<PathBuf>> {
        let packages = packages.iter().flat_map(|name| ["--package", name]);
        let built = artefacts(workspace, self.cargo().args(["--release", "--bins"]).args(packages))?;
        Ok(built.into_iter().filter_map(|artefact| artefact.executable).collect())
    }

    /// Builds the simulated driver: the targets called `cuda_<profile>` and `nvml_<profile>` of the packages whose names
    /// begin with one of `packages`.
    pub(super) fn simulator(&self, workspace: &Workspace, packages: &[&str]) -> Result<Vec<Simulated>> {
        let is_wanted = |name: &str| packages.iter().any(|prefix| name.starts_with(prefix));
        let names = workspace.crates().map(|package| package.name.as_str()).filter(|name| is_wanted(name));
        let build = self.cargo().args(["--release", "--lib", "--examples"]);
        let built = artefacts(workspace, build.args(names.flat_map(|name| ["--package", name])))?;
        Ok(built.iter().filter_map(Artefact::simulated).collect())
    }
}

/// One shared object of the simulated driver.
pub(super) struct Simulated {
    pub(super) profile: String,
    /// The name that the linker knows; programs load it with `.1` behind.
    pub(super) name: &'static str,
    pub(super) file: PathBuf,
}

/// What cargo says of something it made.
#[derive(Deserialize)]
struct Artefact {
    reason: String,
    #[serde(default)]
    target: Target,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    executable: Option<PathBuf>,
}

/// What it was made from.
#[derive(Default, Deserialize)]
struct Target {
    name: String,
}

impl Artefact {
    /// The made file of this name.
    fn file(&self, name: &str) -> Option<PathBuf> {
        self.filenames.iter().find(|file| file.ends_with(name)).cloned()
    }

    /// The shared object of the simulated driver that this is, if it is one.
    fn simulated(&self) -> Option<Simulated> {
        let target = self.target.name.as_str();
        let cuda = target.strip_prefix("cuda_").map(|profile| (profile, "libcuda.so"));
        let (profile, name) = cuda.or_else(|| Some((target.strip_prefix("nvml_")?, "libnvidia-ml.so")))?;
        let file = self.file(&format!("lib{target}.so"))?;
        Some(Simulated { profile: profile.to_owned(), name, file })
    }
}

/// Runs a build and returns what it made, fresh or not.
fn artefacts(workspace: &Workspace, build: Run) -> Result<Vec<Artefact>> {
    let messages = build.arg("--message-format=json-render-diagnostics").dir(workspace.root()).stdout()?;
    let parsed = messages.lines().map(serde_json::from_str::<Artefact>);
    let artefacts =
        parsed.filter(|message| message.as_ref().map_or(true, |m| m.reason == "compiler-artifact"));
    artefacts.collect::<Result<_, _>>().context("cannot read what cargo says it built")
}
