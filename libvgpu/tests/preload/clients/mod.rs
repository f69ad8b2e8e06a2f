//! Real, unmodified clients, as `cargo xtask clients` prepares them. A test of one that is not here says so and is skipped.
//!
//! - [`stacks`]: what takes memory and launches kernels: Python's CUDA stacks.
//! - [`tools`]: what looks: NVML clients.

mod stacks;
mod tools;

use crate::machine::Machine;
use crate::run::Run;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file `place` of the clients.
pub(crate) fn file(place: &str) -> Option<PathBuf> {
    let path = directory().join(place);
    if path.exists() {
        return Some(path);
    }
    // Past the harness, which shows what a passing test prints to nobody.
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(
        std::io::stderr(),
        "skipped {name}: {} is missing: `cargo xtask clients` fetches it",
        path.display()
    );
    None
}

fn directory() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    let cache = || {
        std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map_or_else(home, PathBuf::from)
    };
    std::env::var_os("VGPU_CLIENTS").map_or_else(|| cache().join("vgpu/clients"), PathBuf::from)
}

/// How a client is started: alone, or behind the library.
pub(crate) type Start = fn(OsString) -> Run;

/// The interpreter with every Python client, on `machine`, with a home that is the test's own.
pub(crate) fn python(machine: &Machine, start: Start) -> Option<Run> {
    let python = file("python/bin/python3")?;
    let home = machine.directory("home");
    Some(machine.on(start(python.into())).env("HOME", home).env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The program `name` of `programs/`.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/clients/programs").join(name)
}
