//! The C programs and libraries of these tests: how an application is linked is part of what is tested, and only a C
//! compiler lets a test choose it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the program `source` into `directory`; `flags` come after the source, as libraries must.
pub(crate) fn program(directory: &Path, source: &str, flags: &[&str]) -> PathBuf {
    let name = source.trim_end_matches(".c");
    build(directory, name, source, flags)
}

/// Compiles `source` into the shared object `directory/name`, which calls itself that too.
pub(crate) fn library(directory: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let soname = format!("-Wl,-soname,{name}");
    let shared: Vec<_> = ["-shared", "-fPIC", &soname].into_iter().chain(flags.iter().copied()).collect();
    build(directory, name, source, &shared)
}

fn build(directory: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let built = directory.join(name);
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o"])
        .arg(&built)
        .arg(sources().join(source))
        .arg(format!("-L{}", directory.display()))
        .args(flags)
        .args(["-ldl", "-pthread"]);
    let output = compiler.output().expect("these tests need a C compiler called cc");
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    built
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/c")
}
