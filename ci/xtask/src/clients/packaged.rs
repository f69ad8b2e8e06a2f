//! Clients that are packages of Debian, unpacked privately.

use crate::command::Run;
use crate::python::Environment;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// One client.
pub(super) struct Packaged {
    /// Also of its directory.
    pub(super) name: &'static str,
    /// Debian's release.
    release: &'static str,
    packages: &'static [&'static str],
    /// Python packages that go with it, to `wheels/`.
    wheels: &'static [&'static str],
    /// What makes the client, in its directory.
    pub(super) file: &'static str,
}

/// Every one, and why it is there.
pub(super) const PACKAGED: [Packaged; 4] = [
    // What everybody types first. It reads processes from a table that NVML does not document, one a driver branch.
    Packaged {
        name: "nvidia-smi-535",
        release: "bookworm",
        packages: &["nvidia-smi=535.*"],
        wheels: &[],
        file: "usr/lib/nvidia/current/nvidia-smi",
    },
    Packaged {
        name: "nvidia-smi-550",
        release: "trixie",
        packages: &["nvidia-smi=550.*"],
        wheels: &[],
        file: "usr/lib/nvidia/current/nvidia-smi",
    },
    // Loads libnvidia-ml.so, without the .1, and falls back on older calls for processes.
    Packaged {
        name: "nvtop",
        release: "bookworm",
        packages: &["nvtop=3.0.*"],
        wheels: &[],
        file: "usr/bin/nvtop",
    },
    // Linked against libcuda: the only one that finds the driver by symbols of its own.
    Packaged {
        name: "pycuda",
        release: "bookworm",
        packages: &[
            "python3-pycuda=2022.2.*",
            "python3-pytools",
            "python3-appdirs",
            "python3-decorator",
            "python3-mako",
            "python3-markupsafe",
            "python3-platformdirs",
            "python3-typing-extensions",
            "libboost-python1.74.0",
            "libboost-thread1.74.0",
            "libcurand10",
        ],
        // It is built for numpy before 2.
        wheels: &["numpy==1.26.4"],
        file: "usr/lib/python3/dist-packages/pycuda/_driver.cpython-311-x86_64-linux-gnu.so",
    },
];

impl Packaged {
    /// Unpacks the client into its directory below `clients`, unless it is there as described here.
    ///
    /// # Errors
    /// This is not Debian, or a package cannot be had.
    pub(super) fn ready(
        &self,
        workspace: &Workspace,
        clients: &Path,
        python: Option<&Environment>,
    ) -> Result<()> {
        let directory = clients.join(self.name);
        let (stamp, recipe) = (directory.join("recipe"), self.recipe());
        if fs::read_to_string(&stamp).is_ok_and(|made| made == recipe) && directory.join(self.file).is_file()
        {
            return Ok(());
        }
        if directory.exists() {
            fs::remove_dir_all(&directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        Run::new(workspace.root().join("ci/clients/unpack-debian"))
            .arg(self.release)
            .arg(&directory)
            .args(self.packages)
            .run()?;
        if !directory.join(self.file).is_file() {
            bail!("the packages have no {}", self.file);
        }
        if !self.wheels.is_empty() {
            let python = python.context("it needs the Python environment")?;
            python.install(Some(&directory.join("wheels")), self.wheels)?;
        }
        fs::write(&stamp, recipe).with_context(|| format!("cannot write {}", stamp.display()))
    }

    fn recipe(&self) -> String {
        [&[self.release], self.packages, self.wheels].concat().join("\n")
    }
}
