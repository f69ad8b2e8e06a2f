//! The vendor's headers: fetched as Python wheels into a cache outside the checkout, never kept in it.

use crate::command::Run;
use crate::tools::{Tools, cache_directory};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A release as the package index has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wheels {
    /// The release's name here: the version of its runtime.
    version: &'static str,
    /// What has the driver's and NVML's headers.
    requirements: [&'static str; 2],
}

/// The last release of the twelfth generation, which has what the thirteenth no longer declares by default.
pub(super) const OLDER: Wheels = Wheels {
    version: "12.9.79",
    requirements: ["nvidia-cuda-runtime-cu12==12.9.79", "nvidia-nvml-dev-cu12==12.9.79"],
};
/// What there is today.
pub(super) const NEWEST: Wheels =
    Wheels { version: "13.5.37", requirements: ["nvidia-cuda-runtime==13.5.37", "nvidia-nvml-dev==13.5.37"] };
/// Of the time of driver branch 555.
pub(super) const CUDA_12_5: Wheels = Wheels {
    version: "12.5.82",
    requirements: ["nvidia-cuda-runtime-cu12==12.5.82", "nvidia-nvml-dev-cu12==12.5.82"],
};
/// Of the time of driver branch 570.
pub(super) const CUDA_12_8: Wheels = Wheels {
    version: "12.8.90",
    requirements: ["nvidia-cuda-runtime-cu12==12.8.90", "nvidia-nvml-dev-cu12==12.8.90"],
};
/// Of the time of driver branch 580.
pub(super) const CUDA_13_0: Wheels =
    Wheels { version: "13.0.96", requirements: ["nvidia-cuda-runtime==13.0.96", "nvidia-nvml-dev==13.0.87"] };
/// Of the time of driver branch 615.
pub(super) const CUDA_13_4: Wheels =
    Wheels { version: "13.4.92", requirements: ["nvidia-cuda-runtime==13.4.92", "nvidia-nvml-dev==13.4.92"] };

/// Headers of other projects that the vendor's include. None of their types matters to the preprocessor.
const FOREIGN: [&str; 3] = ["GL/gl.h", "vdpau/vdpau.h", "vdpau/vdpau_x11.h"];

/// One release's headers.
pub(super) struct Headers {
    pub(super) version: &'static str,
    directories: Vec<PathBuf>,
}

impl Headers {
    /// A release's, from the cache or from the package index.
    ///
    /// # Errors
    /// No package index in reach while the cache is empty, or a wheel without the headers expected in it.
    pub(super) fn ready(wheels: Wheels) -> Result<Self> {
        let Wheels { version, requirements } = wheels;
        let cached = cache_directory()?.join(format!("headers-{version}"));
        if !cached.exists() {
            fetch(&requirements, &cached).context("cannot fetch the vendor's headers")?;
        }
        let mut directories = vec![directory_with(&cached, "cuda.h")?, directory_with(&cached, "nvml.h")?];
        directories.dedup();
        Ok(Self { version, directories })
    }

    /// What the C preprocessor makes of `source`.
    ///
    /// The vendor's two macros make the headers declare each version of each symbol under its exported name.
    pub(super) fn preprocess(&self, source: &str, scratch: &Path) -> Result<String> {
        let file = write(scratch, "source.c", source)?;
        for header in FOREIGN {
            write(scratch, header, "")?;
        }
        let everything = ["-D__CUDA_API_VERSION_INTERNAL", "-DNVML_NO_UNVERSIONED_FUNC_DEFS"];
        self.compiler().arg("-I").arg(scratch).args(["-E", "-P"]).args(everything).arg(file).stdout()
    }

    /// What a C program made of `source` prints.
    pub(super) fn run(&self, source: &str, scratch: &Path) -> Result<String> {
        let (file, program) = (write(scratch, "source.c", source)?, scratch.join("program"));
        let everything = "-D__CUDA_API_VERSION_INTERNAL";
        self.compiler().args(["-w", everything]).arg(file).arg("-o").arg(&program).run()?;
        Run::new(program).stdout()
    }

    fn compiler(&self) -> Run {
        let compiler = Run::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        self.directories.iter().fold(compiler, |compiler, directory| compiler.arg("-I").arg(directory))
    }
}

/// Downloads and unpacks the wheels; `target` appears whole or not at all.
fn fetch(requirements: &[&str], target: &Path) -> Result<()> {
    let python = Tools::ready()?.python();
    let partial = target.with_extension(format!("partial-{}", std::process::id()));
    let unpacked = partial.join("unpacked");
    for requirement in requirements {
        let options = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"];
        Run::new(&python).args(options).arg(&partial).arg(requirement).run()?;
    }
    for file in fs::read_dir(&partial)? {
        let file = file?.path();
        Run::new(&python).args(["-m", "zipfile", "-e"]).arg(file).arg(&unpacked).run()?;
    }
    fs::rename(&unpacked, target).with_context(|| format!("cannot make {}", target.display()))?;
    fs::remove_dir_all(&partial).with_context(|| format!("cannot remove {}", partial.display()))
}

/// The directory below `top` that holds `header`.
fn directory_with(top: &Path, header: &str) -> Result<PathBuf> {
    let mut pending = vec![top.to_owned()];
    while let Some(directory) = pending.pop() {
        if directory.join(header).is_file() {
            return Ok(directory);
        }
        for entry in fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            }
        }
    }
    bail!("no {header} below {}; remove that directory to fetch it again", top.display())
}

fn write(scratch: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = scratch.join(name);
    let directory = path.parent().unwrap_or(scratch);
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
