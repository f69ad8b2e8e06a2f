//! Real, unmodified clients of CUDA and NVML, prepared in a cache outside of the checkout. Nothing is installed.
//!
//! ```text
//! $XDG_CACHE_HOME/vgpu/clients/
//!   python/bin/python3                  an environment with ci/clients/requirements.txt
//!   nvidia-smi-535/  nvidia-smi-550/    usr/lib/nvidia/current/nvidia-smi
//!   nvtop/                              usr/bin/nvtop
//!   pycuda/                             wheels/ and usr/lib/python3/dist-packages/ for PYTHONPATH,
//!                                       usr/lib/x86_64-linux-gnu/ for LD_LIBRARY_PATH
//! ```
//!
//! Each has a file (`wheels`, `recipe`) with the versions it was made from, and is made anew when others are asked for.

mod packaged;

use crate::command::Run;
use crate::lock;
use crate::python::Environment;
use crate::tools::cache_directory;
use crate::workspace::Workspace;
use anyhow::{Context, Error, Result, bail};
use packaged::PACKAGED;
use std::fs;
use std::path::{Path, PathBuf};

const REQUIREMENTS: &str = "ci/clients/requirements.txt";

/// Those that could be had.
pub(crate) struct Clients {
    directory: PathBuf,
    python: Option<Environment>,
    /// One line each for those that could not.
    missing: Vec<String>,
}

/// Prepares all of them; fails when one is missing.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let clients = Clients::prepare(workspace)?;
    if !clients.missing.is_empty() {
        bail!("{} missing:\n  {}", clients.missing.len(), clients.missing.join("\n  "));
    }
    println!("{}", clients.directory.display());
    Ok(())
}

impl Clients {
    /// Prepares all that can be had here, and says what cannot: without one, its tests skip themselves.
    ///
    /// # Errors
    /// There is no directory to keep them in.
    pub(crate) fn prepare(workspace: &Workspace) -> Result<Self> {
        let directory = cache_directory()?.join("clients");
        let _lock = lock::hold(&directory.with_extension("lock"))?;
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let mut clients = Self { directory, python: None, missing: Vec::new() };
        match environment(workspace, &clients.directory) {
            Ok(python) => clients.python = Some(python),
            Err(error) => clients.miss("python", &error),
        }
        for packaged in &PACKAGED {
            if let Err(error) = packaged.ready(workspace, &clients.directory, clients.python.as_ref()) {
                clients.miss(packaged.name, &error);
            }
        }
        Ok(clients)
    }

    /// Tells a program where they are.
    pub(crate) fn tell(&self, program: Run) -> Run {
        let program = program.env("VGPU_CLIENTS", &self.directory);
        match &self.python {
            Some(python) => program.env("VGPU_PYTHON", python.python()),
            None => program,
        }
    }

    /// The interpreter with the Python packages.
    pub(crate) fn python(&self) -> Option<PathBuf> {
        self.python.as_ref().map(Environment::python)
    }

    /// The directory of the nvidia-smi of a driver branch; whether it is there is another matter.
    pub(crate) fn nvidia_smi(&self, branch: &str) -> PathBuf {
        self.directory.join(format!("nvidia-smi-{branch}/usr/lib/nvidia/current"))
    }

    fn miss(&mut self, name: &str, error: &Error) {
        eprintln!("clients: no {name} here, its tests will be skipped: {error:#}");
        self.missing.push(format!("{name}: {error:#}"));
    }
}

fn environment(workspace: &Workspace, clients: &Path) -> Result<Environment> {
    let path = workspace.root().join(REQUIREMENTS);
    let recipe = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Environment::ready(clients.join("python"), &recipe, ["--requirement".as_ref(), path.as_os_str()])
}
