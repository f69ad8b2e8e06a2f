//! How calls reach the library.
//!
//! The programs print, line by line, which object each function they found belongs to.

mod absent;
mod allocators;
mod bypasses;
mod callers;
mod copies;
mod cudart;
mod drivers;
mod early;
mod errors;
mod linked;
mod loading;
mod names;
mod opened;
mod proc_address;
mod processes;
mod scopes;
mod threads;
mod unused;

use crate::compile;
use std::path::{Path, PathBuf};

/// The file name of the library under test, as programs print it.
const OURS: &str = "libvgpu.so";
/// The file name of the driver.
const DRIVER: &str = "libcuda.so.1";

/// A driver, with the name that the linker looks for.
fn driver(directory: &Path) -> PathBuf {
    let driver = driver_with(directory, &[]);
    std::os::unix::fs::symlink(DRIVER, directory.join("libcuda.so")).unwrap();
    driver
}

/// A driver from before `cuGetProcAddress`.
fn old_driver(directory: &Path) -> PathBuf {
    driver_with(directory, &["-DOLD"])
}

fn driver_with(directory: &Path, flags: &[&str]) -> PathBuf {
    // As in the real one, the pointers it hands out are its own functions, whoever else exports such a name.
    let flags: Vec<_> = ["-Wl,-Bsymbolic-functions"].iter().chain(flags).copied().collect();
    compile::library(directory, DRIVER, "driver.c", &flags)
}

/// Lines `name: object`, as the programs print them.
fn lines(answers: &[(&str, &str)]) -> String {
    answers.iter().map(|(name, object)| format!("{name}: {object}\n")).collect()
}
