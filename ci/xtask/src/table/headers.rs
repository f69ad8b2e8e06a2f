//! The vendor's headers: fetched as Python wheels into a cache outside the checkout, never kept in it.

use crate::command::Run;
use crate::tools::{Tools, cache_directory};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The releases compared, oldest first: the last of the twelfth generation has what the thirteenth no longer declares
/// by default, the newest has what there is today.
const RELEASES: [(&str, [&str; 2]); 2] = [
    ("12.9.79", ["nvidia-cuda-runtime-cu12", "nvidia-nvml-dev-cu12"]),
    ("13.5.37", ["nvidia-cuda-runtime", "nvidia-nvml-dev"]),
];

/// Headers of other projects that the vendor's include. None of their types matters to the preprocessor.
const FOREIGN: [&str; 3] = ["GL/gl.h", "vdpau/vdpau.h", "vdpau/vdpau_x11.h"];

/// One release's headers.
pub(super) struct Headers {
    pub(super) version: &'static str,
    directories: Vec<PathBuf>,
}

impl Headers {
    /// All releases, from the cache or from the package index.
    ///
    /// # Errors
    /// No package index in reach while the cache is empty, or a wheel without the headers expected in it.
    pub(super) fn ready() -> Result<[Self; 2]> {
        let [older, newer] = RELEASES;
        Ok([Self::release(older.0, &older.1)?, Self::release(newer.0, &newer.1)?])
    }

    fn release(version: &'static str, wheels: &[&str]) -> Result<Self> {
        let cached = cache_directory()?.join(format!("headers-{version}"));
        if !cached.exists() {
            fetch(version, wheels, &cached).context("cannot fetch the vendor's headers")?;
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
fn fetch(version: &str, wheels: &[&str], target: &Path) -> Result<()> {
    let python = Tools::ready()?.python();
    let partial = target.with_extension(format!("partial-{}", std::process::id()));
    let unpacked = partial.join("unpacked");
    for wheel in wheels {
        let requirement = format!("{wheel}=={version}");
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
