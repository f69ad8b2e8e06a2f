//! Where this installation has its parts.
//!
//! `bin/vgpu` lies beside `lib/libvgpu.so` and `sim/<profile>/`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use contract::env;
use monitor::gpus::NVML_LIBRARY;

use crate::elf::{self, Image, THIS_MACHINE};
use crate::failure::Failure;

/// The installation that this program belongs to.
#[derive(Debug)]
pub(crate) struct Install {
    prefix: PathBuf,
}

impl Install {
    /// The one around this program's file.
    pub(crate) fn of_this_program() -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::own(format_args!("cannot find this program's own file: {error}")))?;
        let prefix = program.parent().and_then(Path::parent).unwrap_or_else(|| Path::new("/"));
        Ok(Self { prefix: prefix.to_owned() })
    }

    /// Path of another program of this installation.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.prefix.join("bin").join(name)
    }

    /// The library to preload, by absolute path: the one that is `given` by `$VGPU_LIBRARY`, or this installation's.
    ///
    /// Not by its resolved path: an upgrade may remove the file of the old version, and a loader that does not find what
    /// it should preload goes on without.
    pub(crate) fn library(&self, given: Option<OsString>) -> Result<PathBuf, Failure> {
        let (path, fix) = match given.filter(|path| !path.is_empty()) {
            Some(path) => {
                (PathBuf::from(path), format!("set {} to the path of libvgpu.so, or unset it", env::LIBRARY))
            }
            None => (
                self.prefix.join("lib/libvgpu.so"),
                format!("install it, or set {} to the path of libvgpu.so", env::LIBRARY),
            ),
        };
        let path = std::path::absolute(&path).unwrap_or(path);
        let unusable = match elf::look(&path) {
            Ok(Image::Elf64 { machine: THIS_MACHINE, .. }) => return Ok(path),
            Ok(_) => "it is not a shared library for this machine".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Failure::own(format_args!("cannot preload {}: {unusable}; {fix}", path.display())))
    }

    /// The directory with the libraries of the simulated driver called `profile`.
    pub(crate) fn simulator(&self, profile: &str) -> Result<PathBuf, Failure> {
        let profiles = self.profiles();
        if profiles.iter().any(|known| known == profile) {
            return Ok(self.sim().join(profile));
        }
        Err(match profiles.as_slice() {
            [] => Failure::own(format_args!("no simulated GPU is installed in {}", self.sim().display())),
            known => Failure::usage(format_args!(
                "--sim={profile}: there is no such simulated driver; use one of {}",
                known.join(", ")
            )),
        })
    }

    /// The simulated drivers that are installed, in order of their names.
    pub(crate) fn profiles(&self) -> Vec<String> {
        let entries = fs::read_dir(self.sim()).into_iter().flatten().flatten();
        let drivers = entries.filter(|entry| entry.path().join(NVML_LIBRARY).is_file());
        let mut names: Vec<String> =
            drivers.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn sim(&self) -> PathBuf {
        self.prefix.join("sim")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::tests::elf;
    use tempfile::TempDir;

    /// An installation with a library and the simulated drivers `profiles`.
    fn install(profiles: &[&str]) -> (TempDir, Install) {
        let home = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir_all(home.path().join("lib")).expect("a directory");
        fs::write(home.path().join("lib/libvgpu.so"), elf(THIS_MACHINE, None)).expect("a file");
        for profile in profiles {
            let dir = home.path().join("sim").join(profile);
            fs::create_dir_all(&dir).expect("a directory");
            fs::write(dir.join(NVML_LIBRARY), "").expect("a file");
        }
        let prefix = home.path().to_owned();
        (home, Install { prefix })
    }

    #[test]
    fn the_library_beside_the_program_unless_one_is_given() {
        let (home, install) = install(&[]);
        assert_eq!(install.library(None), Ok(home.path().join("lib/libvgpu.so")));
        assert_eq!(install.library(Some(OsString::new())), Ok(home.path().join("lib/libvgpu.so")));
        let other = home.path().join("other.so");
        fs::write(&other, elf(THIS_MACHINE, None)).expect("a file");
        assert_eq!(install.library(Some(other.clone().into())), Ok(other));
    }

    #[test]
    fn a_library_that_the_loader_would_pass_over_is_refused() {
        let (home, install) = install(&[]);
        let path = home.path().join("lib/libvgpu.so");
        for content in [b"not a library".to_vec(), elf(THIS_MACHINE + 1, None), vec![]] {
            fs::write(&path, content).expect("a file");
            let error = install.library(None).expect_err("no library").to_string();
            assert!(
                error.contains("lib/libvgpu.so: it is not a shared library for this machine; install it"),
                "{error}"
            );
        }
        fs::remove_file(&path).expect("it is there");
        assert!(install.library(None).expect_err("no file").to_string().contains("VGPU_LIBRARY"));
    }

    #[test]
    fn simulated_drivers_by_name() {
        let (home, install) = install(&["550", "535"]);
        fs::create_dir_all(home.path().join("sim/null")).expect("a directory without NVML");
        assert_eq!(install.simulator("535"), Ok(home.path().join("sim/535")));
        for wrong in ["551", "", "..", "null", "../sim/535"] {
            let error = install.simulator(wrong).expect_err(wrong).to_string();
            assert_eq!(
                error,
                format!("--sim={wrong}: there is no such simulated driver; use one of 535, 550")
            );
        }
    }

    #[test]
    fn no_simulator_at_all() {
        let (_home, install) = install(&[]);
        assert!(
            install
                .simulator("550")
                .expect_err("none")
                .to_string()
                .starts_with("no simulated GPU is installed in ")
        );
    }
}
