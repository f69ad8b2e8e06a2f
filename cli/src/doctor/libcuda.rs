//! The library that programs call, as the loader would find it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use monitor::gpus::Driver;

use super::driver::missing_library;
use super::finding::Finding;
use super::place::Place;
use crate::elf::{self, Image, THIS_MACHINE};
use crate::show::escaped;

/// The driver's library for CUDA.
const LIBCUDA: &str = "libcuda.so.1";
/// Where the driver's libraries are when the loader's cache does not tell.
const DIRECTORIES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
];

/// The library that programs call, of the same driver as the other one. `simulator` is searched first.
pub(super) fn libcuda(place: &Place, simulator: Option<&Path>, driver: Option<&Driver>) -> Finding {
    const CHECK: &str = "libcuda";
    let Some(file) = find(place, simulator) else {
        return Finding::fail(
            CHECK,
            format_args!("{LIBCUDA} is in no directory that the loader searches"),
            missing_library(place),
        );
    };
    if !matches!(elf::look(&file), Ok(Image::Elf64 { machine: THIS_MACHINE, .. })) {
        let shown = file.display();
        return Finding::fail(
            CHECK,
            format_args!("{shown} is no library for this machine"),
            "install the driver anew",
        );
    }
    if file.components().any(|part| part.as_os_str() == "stubs") {
        return Finding::fail(
            CHECK,
            format_args!("{} comes with the CUDA toolkit for linking, and does nothing", file.display()),
            "take its directory out of LD_LIBRARY_PATH",
        );
    }
    match (library_version(&file), driver) {
        (Some(own), Some(driver)) if own != driver.version => Finding::fail(
            CHECK,
            format_args!(
                "{} is of version {own}, the driver is {}",
                file.display(),
                escaped(&driver.version)
            ),
            "install libraries and kernel driver of one version, and restart what uses them",
        ),
        _ => Finding::ok(CHECK, file.display()),
    }
}

/// The file that the loader would take.
fn find(place: &Place, simulator: Option<&Path>) -> Option<PathBuf> {
    let search = place.variable("LD_LIBRARY_PATH").map(std::env::split_paths);
    let first = simulator.map(Path::to_owned).into_iter();
    let asked = search.into_iter().flatten().map(|dir| place.file(dir));
    let mut files: Vec<PathBuf> = first.chain(asked).map(|dir| dir.join(LIBCUDA)).collect();
    files.extend(cached(place));
    files.extend(DIRECTORIES.iter().map(|dir| place.file(dir).join(LIBCUDA)));
    files.into_iter().find(|file| file.is_file())
}

/// What the loader's cache says.
fn cached(place: &Place) -> Option<PathBuf> {
    let output = Command::new(place.file("/sbin/ldconfig")).arg("-p").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.trim_start().starts_with(LIBCUDA) && line.contains("64"))?;
    line.split_once("=> ").map(|(_, path)| PathBuf::from(path.trim()))
}

/// `550.163.01` of a link to `libcuda.so.550.163.01`.
fn library_version(file: &Path) -> Option<String> {
    let real = fs::canonicalize(file).ok()?;
    let version = real.file_name()?.to_str()?.strip_prefix("libcuda.so.")?;
    version.contains('.').then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;
    use crate::elf::tests::elf;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// A machine with these files in its directory of libraries, each with this content.
    fn machine(files: &[(&str, &[u8])]) -> (TempDir, Place) {
        let home = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir_all(home.path().join("opt/lib")).expect("a directory");
        for (name, content) in files {
            fs::write(home.path().join("opt/lib").join(name), content).expect("a file");
        }
        let place = Place::at(home.path(), &[("LD_LIBRARY_PATH", "/opt/lib")]);
        (home, place)
    }

    fn driver(version: &str) -> Driver {
        Driver { version: version.to_owned(), ..Driver::default() }
    }

    #[test]
    fn a_libcuda_of_another_version_than_the_driver() {
        let (home, place) = machine(&[("libcuda.so.550.163.01", &elf(THIS_MACHINE, None))]);
        assert_eq!(libcuda(&place, None, None).status, Status::Fail);
        symlink("libcuda.so.550.163.01", home.path().join("opt/lib/libcuda.so.1")).expect("a link");
        assert_eq!(libcuda(&place, None, Some(&driver("550.163.01"))).status, Status::Ok);
        let found = libcuda(&place, None, Some(&driver("580.65.06")));
        assert!(found.finding.ends_with("is of version 550.163.01, the driver is 580.65.06"), "{found:?}");
    }

    #[test]
    fn files_that_only_look_like_libcuda() {
        let (home, place) = machine(&[("libcuda.so.1", b"text")]);
        assert!(libcuda(&place, None, None).finding.ends_with("is no library for this machine"));
        let stubs = home.path().join("stubs");
        fs::create_dir(&stubs).expect("a directory");
        fs::write(stubs.join("libcuda.so.1"), elf(THIS_MACHINE, None)).expect("a file");
        assert!(libcuda(&place, Some(&stubs), None).finding.contains("for linking"));
    }
}
